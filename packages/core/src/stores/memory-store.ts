import { type Clock, clockFrom, neverBack } from '../clock.ts'
import type { Decision } from '../decision.ts'
import { asOptions, refuseUnknown, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { BucketState } from '../shapes/shape.ts'
import { take } from '../shapes/take.ts'
import { BucketTable } from './bucket-table.ts'
import { Fingerprint, randomSecret } from './fingerprint.ts'
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
  /** Memory that they take, in bytes. */
  readonly bytes: number
}

export interface MemoryStore extends SyncStore {
  /** Costs next to nothing. */
  stats(): MemoryStoreStats
  /**
   * Drops every bucket that has refilled. Takes do this as they go, a little at a time; a store that
   * sees no more of them keeps what it had until somebody asks. A million clients take some 20 ms,
   * or 60 if all are dropped; with `slots`, it looks at the next so many places only.
   *
   * @throws {TickbucketError} `INVALID_OPTION` unless `slots` is a whole number from 0, or left out.
   */
  sweep(slots?: number): void
}

/**
 * Buckets in this process's memory: exact, at once, bounded, without timers.
 *
 * A bucket that has refilled is forgotten as others come and go, which loses nothing. When
 * `maxClients` are kept and none of a sample has refilled, the one of them that is nearest to full
 * makes room, never the emptiest, and `stats().droppedEarly` says so. Keys are not kept but 64-bit
 * fingerprints of them, under a secret that nobody knows: see docs/memory.md for what that means.
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
  return new BucketStore(clock, maxClients)
}

/** A list of policies, as its calls need it. */
interface Asked {
  readonly policies: readonly Policy[]
  /** The same in a list of one's own: V8 is slow at reading one that is frozen. */
  readonly copy: readonly Policy[]
  readonly tables: readonly BucketTable[]
  /** The buckets that are open in the tables. */
  readonly states: readonly BucketState[]
}

class BucketStore implements MemoryStore {
  readonly #clock: Clock
  readonly #maxClients: number
  readonly #fingerprint = new Fingerprint(randomSecret())
  readonly #tables = new Map<string, BucketTable>()
  readonly #asked = new WeakMap<readonly Policy[], Asked>()
  #last: Asked | undefined

  constructor(clock: Clock, maxClients: number) {
    this.#clock = clock
    this.#maxClients = maxClients
  }

  take(key: string, cost: number, policies: readonly Policy[]): Decision {
    const now = this.#clock()
    const fingerprint = this.#fingerprint
    fingerprint.of(key)
    const { copy, tables, states } = this.#askedOf(policies)
    for (let index = 0; index < tables.length; index += 1) tables[index]!.open(fingerprint, now)
    const decision = take(copy, states, now, cost)
    const charged = decision.allowed && cost > 0
    for (let index = 0; index < tables.length; index += 1) tables[index]!.keep(fingerprint, now, charged)
    return decision
  }

  reset(key: string, policies: readonly Policy[]): void {
    this.#fingerprint.of(key)
    for (const table of this.#askedOf(policies).tables)
      table.drop(this.#fingerprint.high, this.#fingerprint.low)
  }

  sweep(slots?: number): void {
    if (slots !== undefined) wholeNumber('slots', slots, 0, Number.MAX_SAFE_INTEGER)
    const now = this.#clock()
    for (const table of this.#tables.values()) table.sweep(now, Math.min(slots ?? Infinity, table.slots))
  }

  stats(): MemoryStoreStats {
    let clients = 0
    let droppedEarly = 0
    let bytes = 0
    for (const table of this.#tables.values()) {
      clients += table.count
      droppedEarly += table.droppedEarly
      bytes += table.bytes
    }
    return { clients, droppedEarly, bytes }
  }

  #askedOf(policies: readonly Policy[]): Asked {
    if (this.#last !== undefined && this.#last.policies === policies) return this.#last
    const asked = this.#asked.get(policies) ?? this.#look(policies)
    // A list that is not frozen may hold others the next time.
    if (!Object.isFrozen(policies)) return asked
    this.#asked.set(policies, asked)
    this.#last = asked
    return asked
  }

  #look(policies: readonly Policy[]): Asked {
    const copy = policies.slice()
    const tables = copy.map((policy) => this.#table(policy))
    return { policies, copy, tables, states: tables.map((table) => table.state) }
  }

  #table(policy: Policy): BucketTable {
    let table = this.#tables.get(policy.name)
    if (table === undefined) {
      table = new BucketTable(policy, this.#maxClients)
      this.#tables.set(policy.name, table)
    }
    return table
  }
}
