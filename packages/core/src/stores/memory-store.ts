import { type Clock, clockFrom, neverBack } from '../clock.ts'
import type { Decision } from '../decision.ts'
import { asOptions, refuseUnknown, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { BucketState } from '../shapes/shape.ts'
import { freshState, shapeOf, take } from '../shapes/take.ts'
import type { SyncStore } from './store.ts'

export interface MemoryStoreOptions {
  /** The most clients that are kept under each policy, 1 to 2^30. 1,000,000 when left out. */
  readonly maxClients?: number | undefined
  /** Whole milliseconds; the system's monotonic clock when left out. */
  readonly clock?: Clock | undefined
}

/** What a memory store holds, and what it had to let go. */
export interface MemoryStoreStats {
  /** Buckets kept now, over all policies. */
  readonly clients: number
  /** Buckets that were dropped before they were full, for want of room. */
  readonly droppedEarly: number
}

export interface MemoryStore extends SyncStore {
  stats(): MemoryStoreStats
}

/** How many buckets are looked at to find the fullest of them when there is no more room. */
const SAMPLE = 8

/**
 * Buckets in this process's memory: exact, at once, bounded, without timers. A bucket that has
 * refilled is forgotten as others come and go, which loses nothing. When `maxClients` are kept
 * and none of a sample has refilled, the one of them that is nearest to full makes room, never
 * the emptiest, and `stats().droppedEarly` says so.
 *
 * @example
 * rateLimit({ capacity: 10, perMinute: 60, store: memoryStore({ maxClients: 100_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const given = asOptions(options, 'memoryStore()') as MemoryStoreOptions
  refuseUnknown(given, ['maxClients', 'clock'], 'memoryStore()')
  const clock = neverBack(clockFrom(given.clock))
  const maxClients =
    given.maxClients === undefined ? 1_000_000 : wholeNumber('maxClients', given.maxClients, 1, 2 ** 30)
  const tables = new Map<string, Map<string, BucketState>>()
  let droppedEarly = 0

  function tableOf(policy: Policy): Map<string, BucketState> {
    let table = tables.get(policy.name)
    if (table === undefined) tables.set(policy.name, (table = new Map()))
    return table
  }

  /** Looks at the buckets that were kept longest: drops those that have refilled, and one if all are needed. */
  function makeRoom(policy: Policy, table: Map<string, BucketState>, now: number): void {
    const shape = shapeOf(policy)
    let fullest: string | undefined
    let soonest = Infinity
    const looked: [string, BucketState][] = []
    for (const entry of table) {
      if (looked.push(entry) === SAMPLE) break
    }
    for (const [key, state] of looked) {
      table.delete(key)
      shape.refill(policy, state, now)
      const resetAfterMs = shape.resetAfterMs(policy, state)
      if (resetAfterMs === 0) continue
      // Back at the far end, so that the next look meets others.
      table.set(key, state)
      if (resetAfterMs < soonest) {
        soonest = resetAfterMs
        fullest = key
      }
    }
    if (table.size < maxClients || fullest === undefined) return
    table.delete(fullest)
    droppedEarly += 1
  }

  return {
    take(key: string, cost: number, policies: readonly Policy[]): Decision {
      const now = clock()
      const states = policies.map((policy) => tableOf(policy).get(key) ?? freshState(policy, now))
      const decision = take(policies, states, now, cost)
      for (const [index, policy] of policies.entries()) {
        const table = tableOf(policy)
        if (cost === 0 || table.has(key) || !decision.allowed) continue
        if (table.size > 0) makeRoom(policy, table, now)
        table.set(key, states[index]!)
      }
      return decision
    },

    reset(key: string, policies: readonly Policy[]): void {
      for (const policy of policies) tableOf(policy).delete(key)
    },

    stats(): MemoryStoreStats {
      let clients = 0
      for (const table of tables.values()) clients += table.size
      return { clients, droppedEarly }
    },
  }
}
