import { type BucketState, type Policy, read, type Reading, shapeOf } from '@tickbucket/core'
import { numbersOf, type TakeAnswer } from './take-batch.ts'

/** What a take found: the state of each bucket after it, and what it reads. */
export interface Found {
  readonly states: readonly BucketState[]
  readonly readings: readonly Reading[]
}

/** Reads the numbers that the script tells of one take's buckets. All rounding is core's. */
export function found(
  policies: readonly Policy[],
  { numbers, allowed }: Pick<TakeAnswer, 'numbers' | 'allowed'>,
  cost: number,
): Found {
  const states: BucketState[] = []
  const readings: Reading[] = []
  let at = 0
  for (const policy of policies) {
    const state: BucketState = { ticks: numbers[at]!, last: numbers[at + 1]!, log: undefined }
    states.push(state)
    readings.push(
      shapeOf(policy).keepsLog
        ? readingOfLog(policy, state.ticks, numbers.slice(at + 2), allowed)
        : read(policy, state, allowed ? 0 : shapeOf(policy).waitMs(policy, state, cost), allowed ? cost : 0),
    )
    at += numbersOf(policy)
  }
  return { states, readings }
}

/** A log stays at the server, which tells three waits of it: -1 for one that never ends. */
function readingOfLog(policy: Policy, ticks: number, waits: readonly number[], allowed: boolean): Reading {
  const [fits, nextTokenAfterMs, resetAfterMs] = waits as [number, number, number]
  const retryAfterMs = fits === -1 ? Infinity : fits
  return {
    policy,
    remaining: Math.max(0, ticks),
    retryAfterMs: allowed ? 0 : retryAfterMs,
    delayMs: 0,
    nextTokenAfterMs,
    resetAfterMs,
  }
}
