import type { Decision } from '../decision.ts'
import { checkedKey } from '../limiter.ts'
import { shareOf } from '../policies/share.ts'
import type { Policy } from '../policy.ts'
import { type MemoryStore, memoryStore } from '../stores/memory-store.ts'
import type { Store } from '../stores/store.ts'

/** Who answers for a store while it fails: a memory store that keeps one balancer's share of each policy. */
export interface StandIn {
  /** @throws {TickbucketError} `POLICY_TOO_LARGE` if `balancers` are too many for one of these policies. */
  check(policies: readonly Policy[]): void
  /**
   * A take in the store's place. A share may hold less than a request costs that the whole policy
   * would let through: such a request takes what its share holds, or it could not pass for as long as
   * the store is away.
   */
  take(key: string, cost: number, policies: readonly Policy[]): Decision
}

/** Limiters that share a store share what stands in for it, by how many balancers they count. */
const memories = new WeakMap<Store, Map<number, MemoryStore>>()

export function standInOf(store: Store, balancers: number): StandIn {
  const shares = new WeakMap<Policy, Policy>()
  const lists = new WeakMap<readonly Policy[], readonly Policy[]>()

  function share(policy: Policy): Policy {
    let own = shares.get(policy)
    if (own === undefined) shares.set(policy, (own = shareOf(policy, balancers)))
    return own
  }

  function sharesOf(policies: readonly Policy[]): readonly Policy[] {
    let own = lists.get(policies)
    if (own === undefined) lists.set(policies, (own = Object.freeze(policies.map(share))))
    return own
  }

  function memory(): MemoryStore {
    let ofStore = memories.get(store)
    if (ofStore === undefined) memories.set(store, (ofStore = new Map<number, MemoryStore>()))
    let own = ofStore.get(balancers)
    if (own === undefined) ofStore.set(balancers, (own = memoryStore()))
    return own
  }

  return {
    check: (policies) => void policies.every(share),
    take(key, cost, policies) {
      const own = sharesOf(policies)
      const isPossible = cost <= leastCapacity(policies)
      const taken = isPossible ? Math.min(cost, leastCapacity(own)) : cost
      return { ...memory().take(checkedKey(key), taken, own), source: 'local' }
    },
  }
}

function leastCapacity(policies: readonly Policy[]): number {
  let least = Infinity
  for (const { capacity } of policies) if (capacity < least) least = capacity
  return least
}
