import type { Policy } from '../policy.ts'
import { make } from './make.ts'

/**
 * One balancer's share of a policy that `balancers` of them keep without knowing of each other, in
 * whole numbers. A bucket keeps its rate in ticks, and a token is so many times the ticks: together
 * they let flow exactly what one would. Of the capacity each has its part, rounded down but at least
 * 1, so together they hold `max(capacity, balancers)` at the most. A window's limit is parted alike.
 */
export function shareOf(policy: Policy, balancers: number): Policy {
  if (balancers === 1) return policy
  const capacity = Math.max(1, Math.floor(policy.capacity / balancers))
  const isWindow = policy.shape === 'fixed-window' || policy.shape === 'sliding-window'
  if (isWindow) return make({ ...policy, capacity, rate: capacity }, 'balancers', balancers)
  const { after: undelayed } = policy
  // No more than may queue behind the one that goes on.
  const after =
    undelayed === undefined ? {} : { after: Math.min(capacity - 1, Math.floor(undelayed / balancers)) }
  return make(
    { ...policy, ...after, capacity, periodMs: policy.periodMs * balancers },
    'balancers',
    balancers,
  )
}
