import { memoryStore, type Store } from '@tickbucket/core'

/** Keeps the buckets of one set of policies. */
export function createStore(): Store {
  return memoryStore({ maxClients: 100_000 })
}
