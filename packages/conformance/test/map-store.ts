import {
  type BucketState,
  type Clock,
  freshState,
  type Policy,
  type SyncStore,
  systemClock,
  take,
} from '@tickbucket/core'

/** Buckets in a Map: exact, and without an end. */
export function mapStore(clock: Clock = systemClock): SyncStore {
  const buckets = new Map<string, BucketState>()
  const id = (key: string, { name }: Policy): string => `${name}:${key}`
  let latest = -Infinity

  return {
    take(key, cost, policies) {
      // Time never runs back here, whatever the clock does.
      latest = Math.max(latest, clock())
      const states = policies.map((policy) => buckets.get(id(key, policy)) ?? freshState(policy, latest))
      const decision = take(policies, states, latest, cost)
      if (decision.allowed && cost > 0)
        policies.forEach((policy, index) => buckets.set(id(key, policy), states[index]!))
      return decision
    },
    reset(key, policies) {
      for (const policy of policies) buckets.delete(id(key, policy))
    },
  }
}
