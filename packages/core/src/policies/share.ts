import { TickbucketError } from '../errors.ts'
import type { Policy } from '../policy.ts'
import { make } from './make.ts'

/**
 * One balancer's share of a policy that `balancers` of them keep without knowing of each other, in
 * whole numbers. A bucket keeps its rate in ticks, and a token is so many times the ticks: together
 * they let flow exactly what one would. Of the capacity each has its part, rounded down but at least
 * 1, so together they hold `max(capacity, balancers)` at the most. A window's limit is parted alike.
 *
 * A share of a bucket or window holds no less than `mostCost`, the most that one request takes, as far
 * as the whole policy does: else such a request could never pass. `Infinity`, which is not known, stands
 * for as much as can be exact.
 *
 * @throws {TickbucketError} `POLICY_TOO_LARGE` if even one token of a share is too many ticks to be exact.
 */
export function shareOf(policy: Policy, balancers: number, mostCost = 1): Policy {
  if (balancers === 1) return policy
  const periodMs = policy.periodMs * balancers
  const exact = mostCost === Infinity ? Math.floor(Number.MAX_SAFE_INTEGER / periodMs) : mostCost
  const capacity = Math.max(1, Math.floor(policy.capacity / balancers), Math.min(policy.capacity, exact))
  const isWindow = policy.shape === 'fixed-window' || policy.shape === 'sliding-window'
  if (isWindow) return make({ ...policy, capacity, rate: capacity }, 'balancers', balancers)
  if (capacity * periodMs > Number.MAX_SAFE_INTEGER) {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / (policy.periodMs * capacity))
    throw new TickbucketError(
      'POLICY_TOO_LARGE',
      'balancers',
      balancers,
      `'balancers' times the period of the policy '${policy.name}' times the ${capacity} tokens that a share holds must stay below 2^53 to be exact; with ${policy.periodMs} ms it may be ${most} at most, not ${balancers}.`,
    )
  }
  const { after: undelayed } = policy
  // No more than may queue behind the one that goes on.
  const after =
    undelayed === undefined ? {} : { after: Math.min(capacity - 1, Math.floor(undelayed / balancers)) }
  return make({ ...policy, ...after, capacity, periodMs }, 'balancers', balancers)
}
