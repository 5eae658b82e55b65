import type { Policy } from '@tickbucket/core'
import { dividedUp, type ModelBucket } from './model-bucket.ts'

/** A token bucket told by what it lacks: `missing` ticks until it is full, of which `rate` flow in a millisecond. */
export function tokenBucketModel(policy: Policy, firstSeen: bigint): ModelBucket {
  const token = BigInt(policy.periodMs)
  const rate = BigInt(policy.rate)
  const size = BigInt(policy.capacity) * token
  let missing = 0n
  let seen = firstSeen
  return {
    pass(now) {
      if (now <= seen) return
      const flowed = (now - seen) * rate
      missing = flowed > missing ? 0n : missing - flowed
      seen = now
    },
    waitMs(cost) {
      const lacking = cost * token + missing - size
      if (lacking <= 0n) return 0n
      return cost * token > size ? undefined : dividedUp(lacking, rate)
    },
    spend(cost) {
      missing += cost * token
      return 0n
    },
    report: () => ({
      remaining: (size - missing) / token,
      nextTokenAfterMs: missing === 0n ? 0n : dividedUp(((missing - 1n) % token) + 1n, rate),
      resetAfterMs: dividedUp(missing, rate),
    }),
    ticks: () => size - missing,
  }
}
