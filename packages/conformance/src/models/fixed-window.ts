import type { Policy } from '@tickbucket/core'
import { dividedUp, type ModelBucket } from './model-bucket.ts'

/** A fixed window told by a count for each window that ever was, by its number since the epoch. */
export function fixedWindowModel(policy: Policy, firstSeen: bigint): ModelBucket {
  const limit = BigInt(policy.capacity)
  const length = BigInt(policy.periodMs)
  const taken = new Map<bigint, bigint>()
  let seen = firstSeen
  // Division in BigInt cuts towards zero; a window before the epoch has a number below it.
  const number = (): bigint => (seen >= 0n ? seen / length : -dividedUp(-seen, length))
  const left = (): bigint => limit - (taken.get(number()) ?? 0n)
  const untilNext = (): bigint => (number() + 1n) * length - seen
  return {
    pass(now) {
      if (now > seen) seen = now
    },
    waitMs(cost) {
      if (cost > limit) return undefined
      return cost <= left() ? 0n : untilNext()
    },
    spend(cost) {
      taken.set(number(), (taken.get(number()) ?? 0n) + cost)
      return 0n
    },
    report() {
      const wait = left() === limit ? 0n : untilNext()
      return { remaining: left(), nextTokenAfterMs: wait, resetAfterMs: wait }
    },
    ticks: left,
  }
}
