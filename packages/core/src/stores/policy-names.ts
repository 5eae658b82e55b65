import { TickbucketError } from '../errors.ts'
import { describePolicy, type Policy } from '../policy.ts'
import type { Store } from './store.ts'

const policiesOf = new WeakMap<Store, Map<string, Policy>>()

/**
 * A policy's name is its buckets' identity in a store, so one name means one set of numbers there.
 * Claims the names of all of `policies`, or none.
 *
 * @throws {TickbucketError} `POLICY_CONFLICT` if this store already serves other numbers under one.
 */
export function claimPolicyNames(store: Store, policies: readonly Policy[]): void {
  let known = policiesOf.get(store)
  if (known === undefined) policiesOf.set(store, (known = new Map()))
  for (const policy of policies) {
    const first = known.get(policy.name)
    if (first === undefined || first === policy || describePolicy(first) === describePolicy(policy)) continue
    throw new TickbucketError(
      'POLICY_CONFLICT',
      'name',
      policy.name,
      `This store already keeps buckets of a policy '${policy.name}' with ${describePolicy(first)}; ` +
        `one with ${describePolicy(policy)} would share them. Give it a name of its own, or a store of its own.`,
    )
  }
  for (const policy of policies) if (!known.has(policy.name)) known.set(policy.name, policy)
}
