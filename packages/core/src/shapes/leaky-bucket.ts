import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from './shape.ts'
import { tokenBucketShape } from './token-bucket.ts'

/**
 * The leaky bucket as a meter and a queue (ITU-T I.371; nginx's `ngx_http_limit_req_module`). It is
 * the token bucket of `queue + 1` tokens, told from the other side: what is missing from a full
 * bucket is what has not leaked out yet. A take goes on when all that was taken before it has
 * leaked out but for `after` tokens:
 *
 *     delayMs = max(0, ceil((missing before the take - after * periodMs) / rate))
 *
 * which for a cost of 1 is nginx's `(excess - delay) / rate`. Rounded up, so that what goes on is
 * never faster than the rate. Later takes never go on before earlier ones: with each the missing
 * grows by its cost and, in the time between, shrinks by no more than that time's leak.
 */
export const leakyBucketShape: Shape = {
  ...tokenBucketShape,

  delayMs(policy: Policy, state: BucketState, cost: number): number {
    const missing = (policy.capacity - cost) * policy.periodMs - state.ticks
    return Math.max(0, Math.ceil((missing - (policy.after ?? 0) * policy.periodMs) / policy.rate))
  },
}
