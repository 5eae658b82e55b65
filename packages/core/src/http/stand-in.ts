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
  /** A take in the store's place. */
  take(key: string, cost: number, policies: readonly Policy[]): Decision
}

/** Limiters that share a store share what stands in for it, if their shares are alike. */
const memories = new WeakMap<Store, Map<string, MemoryStore>>()

/** `mostCost` is the most that one request takes; `Infinity` if that is not known. */
export function standInOf(store: Store, balancers: number, mostCost: number): StandIn {
  const alike = `${balancers} ${mostCost}`
  const shares = new WeakMap<Policy, Policy>()
  const lists = new WeakMap<readonly Policy[], readonly Policy[]>()

  function share(policy: Policy): Policy {
    let own = shares.get(policy)
    if (own === undefined) shares.set(policy, (own = shareOf(policy, balancers, mostCost)))
    return own
  }

  function sharesOf(policies: readonly Policy[]): readonly Policy[] {
    let own = lists.get(policies)
    if (own === undefined) lists.set(policies, (own = Object.freeze(policies.map(share))))
    return own
  }

  function memory(): MemoryStore {
    let ofStore = memories.get(store)
    if (ofStore === undefined) memories.set(store, (ofStore = new Map<string, MemoryStore>()))
    let own = ofStore.get(alike)
    if (own === undefined) ofStore.set(alike, (own = memoryStore()))
    return own
  }

  return {
    check: (policies) => void policies.every(share),
    take: (key, cost, policies) => ({
      ...memory().take(checkedKey(key), cost, sharesOf(policies)),
      source: 'local',
    }),
  }
}
