import type { Policy } from './policy.ts'

/** One policy's bucket as of one moment. Durations are relative, so no two clocks need agree. */
export interface Reading {
  readonly policy: Policy
  /** Whole tokens left, rounded down. */
  readonly remaining: number
  /**
   * Whole milliseconds until this same request would pass this policy, for a client alone on its
   * key: refused at every one before, allowed at that one. 0 if it passes; `Infinity` if it asks
   * for more than the bucket can ever hold.
   */
  readonly retryAfterMs: number
  /** Whole milliseconds, rounded up, that what was taken is to wait before it goes on. Only a leaky bucket asks for it. */
  readonly delayMs: number
  /** Whole milliseconds until one more whole token is there, rounded up. 0 when full. */
  readonly nextTokenAfterMs: number
  /** Whole milliseconds until the bucket is full, rounded up. 0 when full. */
  readonly resetAfterMs: number
}

/**
 * Who answered: the `store` itself, its `cache` of earlier answers, a `lease` of tokens taken in
 * advance, the `local` stand-in of a store that failed, or the `policy` for failures alone.
 */
export type Source = 'store' | 'cache' | 'lease' | 'local' | 'policy'

/** The answer to a take: tokens were taken from every policy's bucket, or from none. */
export interface Decision {
  readonly allowed: boolean
  /** Whole tokens left in the bucket with the least left. `Infinity` when no bucket was asked. */
  readonly remaining: number
  /** The longest wait of the violated policies in milliseconds; 0 if allowed; `Infinity`: never. */
  readonly retryAfterMs: number
  /**
   * Milliseconds to wait before going on with what was allowed: the longest that a policy asks for.
   * 0 without a leaky bucket, after a refusal, and for a read.
   */
  readonly delayMs: number
  /** One for each policy, in the order of the policies. */
  readonly readings: readonly Reading[]
  readonly source: Source
}

/** Sums up readings: allowed if no policy asks for a wait. For authors of stores. */
export function decide(readings: readonly Reading[], source: Source = 'store'): Decision {
  let remaining = Infinity
  let retryAfterMs = 0
  let delayMs = 0
  for (const reading of readings) {
    if (reading.remaining < remaining) remaining = reading.remaining
    if (reading.retryAfterMs > retryAfterMs) retryAfterMs = reading.retryAfterMs
    if (reading.delayMs > delayMs) delayMs = reading.delayMs
  }
  return {
    allowed: retryAfterMs === 0,
    remaining,
    retryAfterMs,
    delayMs,
    readings,
    source,
  }
}
