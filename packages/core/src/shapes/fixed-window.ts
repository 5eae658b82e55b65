import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from './shape.ts'

/**
 * The fixed window: `ticks` are the tokens left in the window that holds `last`. Windows are
 * `periodMs` long and one begins at the epoch of the store's clock. A new one is always full, so
 * every client's bucket is forgotten without loss as its window ends.
 */
export const fixedWindowShape: Shape = {
  keepsLog: false,

  fill(policy: Policy, state: BucketState, now: number): void {
    state.ticks = policy.capacity
    state.last = now
    state.log = undefined
  },

  refill(policy: Policy, state: BucketState, now: number): void {
    const elapsed = now - state.last
    if (elapsed <= 0) return
    if (elapsed >= leftOfWindow(policy, state)) state.ticks = policy.capacity
    state.last = now
  },

  waitMs(policy: Policy, state: BucketState, cost: number): number {
    if (state.ticks >= cost) return 0
    return cost > policy.capacity ? Infinity : leftOfWindow(policy, state)
  },

  charge(_policy: Policy, state: BucketState, cost: number): void {
    state.ticks -= cost
  },

  delayMs: () => 0,

  remaining: (_policy: Policy, state: BucketState): number => state.ticks,

  nextTokenAfterMs,
  resetAfterMs: nextTokenAfterMs,
}

function nextTokenAfterMs(policy: Policy, state: BucketState): number {
  return state.ticks === policy.capacity ? 0 : leftOfWindow(policy, state)
}

/** Whole milliseconds from `last` to the next window, 1 to `periodMs`. */
function leftOfWindow({ periodMs }: Policy, { last }: BucketState): number {
  // The remainder of a time before the epoch is negative: it is what is left, and not what has passed.
  const remainder = last % periodMs
  return remainder < 0 ? -remainder : periodMs - remainder
}
