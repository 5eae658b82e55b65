import type { DecisionEvent } from '@tickbucket/core'

/** What one client was told. */
export interface ClientCounts {
  readonly key: string
  allowed: number
  refused: number
}

/** Decisions in one second of the process's time. */
export interface SecondCounts {
  readonly second: number
  readonly allowed: number
  readonly refused: number
}

/** Who was decided on lately, and how: what the page shows. Bounded, whoever comes. */
export interface Ledger {
  note(event: Pick<DecisionEvent<unknown>, 'key' | 'refused'>): void
  /** The clients with the most requests of late, at most `count`. */
  clients(count: number): ClientCounts[]
  /** How many clients came of late. */
  size(): number
  /** The last `count` seconds up to now, oldest first, those without a request included. */
  seconds(count: number): SecondCounts[]
}

interface Entry extends ClientCounts {
  /** Requests, each worth half after every {@link HALF_LIFE_MS}. */
  weight: number
  seenMs: number
}

const MAX_CLIENTS = 2000
const FORGET_AFTER_MS = 90_000
const HALF_LIFE_MS = 10_000
const KEPT_SECONDS = 120

export function createLedger(now: () => number = () => performance.now()): Ledger {
  /** In the order in which they were last seen. */
  const entries = new Map<string, Entry>()
  const perSecond = new Map<number, { allowed: number; refused: number }>()

  const weightAt = ({ weight, seenMs }: Entry, ms: number): number =>
    weight * 2 ** ((seenMs - ms) / HALF_LIFE_MS)

  function forgetOld(ms: number): void {
    for (const [key, { seenMs }] of entries) {
      if (entries.size <= MAX_CLIENTS && ms - seenMs < FORGET_AFTER_MS) return
      entries.delete(key)
    }
  }

  function countsOf(second: number): { allowed: number; refused: number } {
    let counts = perSecond.get(second)
    if (counts === undefined) {
      perSecond.set(second, (counts = { allowed: 0, refused: 0 }))
      for (const old of perSecond.keys()) {
        if (old > second - KEPT_SECONDS) break
        perSecond.delete(old)
      }
    }
    return counts
  }

  return {
    note({ key, refused }) {
      const ms = now()
      const entry = entries.get(key) ?? { key, allowed: 0, refused: 0, weight: 0, seenMs: ms }
      const outcome = refused ? 'refused' : 'allowed'
      entry[outcome] += 1
      entry.weight = weightAt(entry, ms) + 1
      entry.seenMs = ms
      entries.delete(key)
      entries.set(key, entry)
      countsOf(Math.floor(ms / 1000))[outcome] += 1
      forgetOld(ms)
    },
    clients(count) {
      const ms = now()
      forgetOld(ms)
      return [...entries.values()]
        .sort((a, b) => weightAt(b, ms) - weightAt(a, ms))
        .slice(0, count)
        .map(({ key, allowed, refused }) => ({ key, allowed, refused }))
    },
    size: () => entries.size,
    seconds(count) {
      const last = Math.floor(now() / 1000)
      return Array.from({ length: count }, (_, index) => {
        const second = last - count + 1 + index
        return { second, ...(perSecond.get(second) ?? { allowed: 0, refused: 0 }) }
      })
    },
  }
}
