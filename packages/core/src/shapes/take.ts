import { type Decision, decide, type Reading, type Source } from '../decision.ts'
import type { Policy, ShapeName } from '../policy.ts'
import { fixedWindowShape } from './fixed-window.ts'
import { leakyBucketShape } from './leaky-bucket.ts'
import type { BucketState, Shape } from './shape.ts'
import { slidingWindowShape } from './sliding-window.ts'
import { tokenBucketShape } from './token-bucket.ts'

const SHAPES: { readonly [name in ShapeName]: Shape } = {
  'token-bucket': tokenBucketShape,
  'leaky-bucket': leakyBucketShape,
  'sliding-window': slidingWindowShape,
  'fixed-window': fixedWindowShape,
}

/** The arithmetic that a policy asks for. */
export function shapeOf(policy: Policy): Shape {
  // One comparison for the shape that nearly every policy has, on the path of every take.
  return policy.shape === 'token-bucket' ? tokenBucketShape : SHAPES[policy.shape]
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
  let allowed = true
  for (let index = 0; index < policies.length; index += 1) {
    const policy = policies[index]!
    const shape = shapeOf(policy)
    shape.refill(policy, states[index]!, now)
    if (shape.waitMs(policy, states[index]!, cost) > 0) allowed = false
  }
  // The usual one policy is spelled out, since `map` costs as much as the rest of the take.
  const readings =
    policies.length === 1
      ? [settle(policies[0]!, states[0]!, cost, allowed)]
      : policies.map((policy, index) => settle(policy, states[index]!, cost, allowed))
  return decide(readings, source)
}

function settle(policy: Policy, state: BucketState, cost: number, allowed: boolean): Reading {
  if (!allowed) return read(policy, state, shapeOf(policy).waitMs(policy, state, cost))
  shapeOf(policy).charge(policy, state, cost)
  return read(policy, state, 0, cost)
}

/**
 * What a bucket says of itself. `retryAfterMs` is what its `waitMs` was, `taken` what was just
 * charged to it: nothing after a refusal, or for a look alone.
 */
export function read(policy: Policy, state: BucketState, retryAfterMs: number, taken = 0): Reading {
  const shape = shapeOf(policy)
  return {
    policy,
    remaining: shape.remaining(policy, state),
    retryAfterMs,
    delayMs: taken === 0 ? 0 : shape.delayMs(policy, state, taken),
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
