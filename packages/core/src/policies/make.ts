import { TickbucketError } from '../errors.ts'
import type { Policy } from '../policy.ts'

/** Policies known to be whole. One that another copy of this package made is made anew, once more checked. */
const made = new WeakSet<object>()

/** Whether a maker of this copy of the package made it, so that nothing about it need be checked. */
export function isMade(value: object): value is Policy {
  return made.has(value)
}

/** `policy`, frozen, and known to be whole from now on. Its numbers are checked, all but their product. */
export function make(policy: Policy, sizeOption: string, sizeGiven: number): Policy {
  const { capacity, periodMs } = policy
  if (capacity * periodMs > Number.MAX_SAFE_INTEGER) {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / periodMs) - (capacity - sizeGiven)
    const way = most > 0 ? `it may be ${most} at most` : 'nothing is that small: choose a shorter period'
    throw new TickbucketError(
      'POLICY_TOO_LARGE',
      sizeOption,
      sizeGiven,
      `'${sizeOption}' times the period must stay below 2^53 to be exact; with ${periodMs} ms ${way}, not ${sizeGiven}.`,
    )
  }
  made.add(Object.freeze(policy))
  return policy
}
