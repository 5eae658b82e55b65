import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from './shape.ts'

/**
 * The token bucket, in ticks: one token is `periodMs` ticks, so `rate` tokens per period is exactly
 * `rate` ticks per millisecond and every number kept is a whole one.
 *
 * Exact in doubles because a policy has `capacity * periodMs < 2^53`: a product `elapsed * rate`
 * that is not exact is 2^53 or more, so the comparison with the room left still answers rightly.
 * Likewise `floor` and `ceil` of a quotient of such numbers: its distance to the nearest other
 * whole number is at least `1 / divisor`, more than the rounding of the division.
 */
export const tokenBucketShape: Shape = {
  keepsLog: false,

  fill(policy: Policy, state: BucketState, now: number): void {
    state.ticks = policy.capacity * policy.periodMs
    state.last = now
    state.log = undefined
  },

  refill(policy: Policy, state: BucketState, now: number): void {
    const elapsed = now - state.last
    if (elapsed <= 0) return
    const gain = elapsed * policy.rate
    const full = policy.capacity * policy.periodMs
    state.ticks = gain >= full - state.ticks ? full : state.ticks + gain
    state.last = now
  },

  waitMs(policy: Policy, state: BucketState, cost: number): number {
    const costTicks = cost * policy.periodMs
    if (state.ticks >= costTicks) return 0
    if (cost > policy.capacity) return Infinity
    return Math.ceil((costTicks - state.ticks) / policy.rate)
  },

  charge(policy: Policy, state: BucketState, cost: number): void {
    state.ticks -= cost * policy.periodMs
  },

  delayMs: () => 0,

  remaining(policy: Policy, state: BucketState): number {
    return Math.floor(state.ticks / policy.periodMs)
  },

  nextTokenAfterMs(policy: Policy, state: BucketState): number {
    if (state.ticks >= policy.capacity * policy.periodMs) return 0
    const nextToken = Math.floor(state.ticks / policy.periodMs) + 1
    return Math.ceil((nextToken * policy.periodMs - state.ticks) / policy.rate)
  },

  resetAfterMs(policy: Policy, state: BucketState): number {
    return Math.ceil((policy.capacity * policy.periodMs - state.ticks) / policy.rate)
  },
}
