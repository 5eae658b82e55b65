import { once } from 'node:events'
import { memoryStore, type Policy, type Store } from '@tickbucket/core'
import { redisStore } from '@tickbucket/redis'
import { Redis } from 'ioredis'

/** Where the buckets of a set of policies are kept. */
export interface Buckets {
  createStore(policies: readonly Policy[]): Store
  close(): void
}

/**
 * In this process, or in the Redis at `redisUrl`, where all balancers that name it share them.
 * Rejects if that cannot be reached now; one that is lost later is the limiter's to deal with.
 */
export async function bucketsAt(redisUrl: string | undefined): Promise<Buckets> {
  if (redisUrl === undefined) {
    return { createStore: () => memoryStore({ maxClients: 100_000 }), close: () => undefined }
  }
  // Fails at once when Redis is gone, in place of waiting for it.
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  })
  // What stands in the way is told by an event, which `once` rejects with.
  client.connect().catch(() => undefined)
  await once(client, 'ready').catch((error: unknown) => {
    client.disconnect()
    throw error
  })
  // Said once, and not at each attempt to find it again.
  let isLost = false
  client.on('error', (error) => {
    if (!isLost) console.error(`Redis: ${error.message}`)
    isLost = true
  })
  client.on('ready', () => (isLost = false))
  return {
    // Balancers that limit alike share buckets; after a change of numbers nobody reads what others mean.
    createStore: (policies) =>
      redisStore({ client, prefix: `balancer:${policies.map(numbersOf).join(':')}:` }),
    close: () => client.disconnect(),
  }
}

function numbersOf({ capacity, rate, periodMs }: Policy): string {
  return `${capacity}-${rate}-${periodMs}`
}
