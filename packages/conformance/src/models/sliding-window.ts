import type { Policy } from '@tickbucket/core'
import type { ModelBucket } from './model-bucket.ts'

/** A sliding window told by every token that was ever taken: one counts while it is younger than the window. */
export function slidingWindowModel(policy: Policy, firstSeen: bigint): ModelBucket {
  const limit = BigInt(policy.capacity)
  const length = BigInt(policy.periodMs)
  const taken: { readonly at: bigint; readonly tokens: bigint }[] = []
  let seen = firstSeen
  const leftAt = (time: bigint): bigint =>
    taken.reduce((left, { at, tokens }) => (time - at < length ? left - tokens : left), limit)
  /** The first moment from now on at which that many are left: it can only be when some take grows too old. */
  const untilLeft = (tokens: bigint): bigint => {
    const moments = [seen, ...taken.map(({ at }) => at + length).filter((moment) => moment > seen)]
    return moments.toSorted((a, b) => Number(a - b)).find((moment) => leftAt(moment) >= tokens)! - seen
  }
  return {
    pass(now) {
      if (now > seen) seen = now
    },
    waitMs: (cost) => (cost > limit ? undefined : untilLeft(cost)),
    spend(cost) {
      taken.push({ at: seen, tokens: cost })
      return 0n
    },
    report() {
      const remaining = leftAt(seen)
      return {
        remaining,
        nextTokenAfterMs: remaining === limit ? 0n : untilLeft(remaining + 1n),
        resetAfterMs: untilLeft(limit),
      }
    },
    ticks: () => leftAt(seen),
  }
}
