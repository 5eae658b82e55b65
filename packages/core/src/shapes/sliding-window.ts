import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from './shape.ts'

/** A log of fewer numbers is kept without room to spare. */
const SHORT = 16

/**
 * The sliding window, exact: a log of what was taken in the last `periodMs`. `ticks` are the tokens
 * left. What was taken at `t` counts up to `t + periodMs - 1` and no longer at `t + periodMs`.
 *
 * So no window of `periodMs` milliseconds ever sees more than the limit, wherever it begins: of the
 * takes in it let the last be at `t`. All others lie in `(t - periodMs, t]`, and each of them still
 * counted when that last one was allowed.
 *
 * The log is a queue of runs, oldest first: `[head, time, tokens, time, tokens, …]`, where `head` is
 * the index of the oldest run that counts. All that is taken in one millisecond is one run, so it
 * has at most `min(limit, periodMs)` of them; what no longer counts is cut off when it is half of
 * the log, so a touch costs the same however long the log is, on average.
 */
export const slidingWindowShape: Shape = {
  keepsLog: true,

  fill(policy: Policy, state: BucketState, now: number): void {
    state.ticks = policy.capacity
    state.last = now
    state.log = []
  },

  refill(policy: Policy, state: BucketState, now: number): void {
    if (now <= state.last) return
    state.last = now
    const log = state.log!
    let head = headOf(log)
    const end = log.length
    while (head < end && now - log[head]! >= policy.periodMs) {
      state.ticks += log[head + 1]!
      head += 2
    }
    cut(log, head)
  },

  waitMs(policy: Policy, state: BucketState, cost: number): number {
    if (state.ticks >= cost) return 0
    if (cost > policy.capacity) return Infinity
    const log = state.log!
    let run = headOf(log)
    for (let left = state.ticks + log[run + 1]!; left < cost; left += log[run + 1]!) run += 2
    return untilGone(policy, state, run)
  },

  charge(_policy: Policy, state: BucketState, cost: number): void {
    if (cost === 0) return
    state.ticks -= cost
    const log = state.log!
    const newest = log.length - 2
    if (newest > 0 && log[newest] === state.last) log[newest + 1]! += cost
    else if (log.length === 0) state.log = [1, state.last, cost]
    // An array that something is pushed to takes room for some twenty more, which most clients never need.
    else if (log.length < SHORT) state.log = log.concat(state.last, cost)
    else log.push(state.last, cost)
  },

  delayMs: () => 0,

  remaining: (_policy: Policy, state: BucketState): number => state.ticks,

  nextTokenAfterMs(policy: Policy, state: BucketState): number {
    const log = state.log!
    return log.length === 0 ? 0 : untilGone(policy, state, headOf(log))
  },

  resetAfterMs(policy: Policy, state: BucketState): number {
    const log = state.log!
    return log.length === 0 ? 0 : untilGone(policy, state, log.length - 2)
  },
}

/** The index of the oldest run that counts; past the end if there is none. */
function headOf(log: readonly number[]): number {
  return log.length === 0 ? 0 : log[0]!
}

/** Makes the run at `head` the oldest one. */
function cut(log: number[], head: number): void {
  if (head >= log.length) log.length = 0
  else if (head > log.length - head) {
    const shift = head - 1
    for (let index = head; index < log.length; index += 1) log[index - shift] = log[index]!
    log.length -= shift
    log[0] = 1
  } else log[0] = head
}

/** Whole milliseconds from `last` until the run at `run` no longer counts. */
function untilGone(policy: Policy, state: BucketState, run: number): number {
  return policy.periodMs - (state.last - state.log![run]!)
}
