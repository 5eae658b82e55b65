import { type Decision, decide, type Reading, type Source } from '../decision.ts'
import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from './shape.ts'
import { tokenBucketShape } from './token-bucket.ts'

/** The arithmetic that a policy asks for. */
export function shapeOf(_policy: Policy): Shape {
  return tokenBucketShape
}

/**
 * One take, whole: lets time pass in every bucket, then takes `cost` tokens from all of them or
 * from none. `states` are changed in place and belong to `policies` one by one.
 *
 * @example
 * const state = freshState(policy, 0)
 * take([policy], [state], 0, 1).allowed // true
 */
export function take(
  policies: readonly Policy[],
  states: readonly BucketState[],
  now: number,
  cost: number,
  source?: Source,
): Decision {
  const waits = policies.map((policy, index) => {
    const state = states[index]!
    shapeOf(policy).refill(policy, state, now)
    return shapeOf(policy).waitMs(policy, state, cost)
  })
  const allowed = waits.every((wait) => wait === 0)
  const readings = policies.map((policy, index) => {
    const state = states[index]!
    if (allowed) shapeOf(policy).charge(policy, state, cost)
    return read(policy, state, waits[index]!)
  })
  return decide(readings, source)
}

/** What a bucket says of itself. `retryAfterMs` is what its `waitMs` was. */
export function read(policy: Policy, state: BucketState, retryAfterMs: number): Reading {
  const shape = shapeOf(policy)
  return {
    policy,
    remaining: shape.remaining(policy, state),
    retryAfterMs,
    nextTokenAfterMs: shape.nextTokenAfterMs(policy, state),
    resetAfterMs: shape.resetAfterMs(policy, state),
  }
}

/** The bucket of a client first seen at `now`: full. */
export function freshState(policy: Policy, now: number): BucketState {
  const state: BucketState = { ticks: 0, last: now, log: undefined }
  shapeOf(policy).fill(policy, state, now)
  return state
}
