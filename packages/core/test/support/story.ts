import { manualClock } from '@tickbucket/conformance'
import { createLimiter, memoryStore, tokenBucket, type TokenBucketOptions } from '@tickbucket/core'
import { expect } from 'vitest'

/** One take: when, how much, and what the answer must be; what is left out is not asked. */
export interface Row {
  readonly at: number
  readonly cost?: number
  readonly key?: string
  /** How many times over, 1 when left out. */
  readonly times?: number
  readonly allowed: boolean
  readonly remaining?: number
  readonly retryAfterMs?: number
}

/** Plays rows on a bucket in memory at a clock that is turned by hand. */
export function play(options: TokenBucketOptions, rows: readonly Row[]): void {
  const clock = manualClock()
  const limiter = createLimiter({ policies: [tokenBucket(options)], store: memoryStore({ clock }) })
  for (const row of rows) {
    clock.set(row.at)
    for (let time = 0; time < (row.times ?? 1); time += 1) {
      const { allowed, remaining, retryAfterMs } = limiter.take(row.key ?? 'client', row.cost)
      const seen = {
        allowed,
        ...(row.remaining === undefined ? {} : { remaining }),
        ...(row.retryAfterMs === undefined ? {} : { retryAfterMs }),
      }
      const { at, cost, key, times, ...right } = row
      expect(seen, `at ${at}${key === undefined ? '' : ` for ${key}`}`).toEqual(right)
    }
  }
}

/** How many of the takes at the given times a fresh bucket admits. */
export function admitted(options: TokenBucketOptions, times: Iterable<number>): number {
  const clock = manualClock()
  const limiter = createLimiter({ policies: [tokenBucket(options)], store: memoryStore({ clock }) })
  let count = 0
  for (const at of times) {
    clock.set(at)
    if (limiter.take('client').allowed) count += 1
  }
  return count
}

/** `from`, `from + step`, … up to `to`. */
export function* every(step: number, from: number, to: number): Generator<number> {
  for (let at = from; at <= to; at += step) yield at
}
