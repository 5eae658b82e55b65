import type { Policy } from '@tickbucket/core'
import { dividedUp, type ModelBucket } from './model-bucket.ts'

/**
 * A leaky bucket told by one date, as GCRA does: `free`, when all that was taken will have leaked
 * out, in ticks of `rate` to the millisecond. A take goes on at that date, less what `after` allows.
 */
export function leakyBucketModel(policy: Policy, firstSeen: bigint): ModelBucket {
  const token = BigInt(policy.periodMs)
  const rate = BigInt(policy.rate)
  const most = BigInt(policy.capacity) * token
  const undelayed = BigInt(policy.after ?? 0) * token
  let seen = firstSeen
  let free = firstSeen * rate
  const waiting = (): bigint => (free > seen * rate ? free - seen * rate : 0n)
  return {
    pass(now) {
      if (now > seen) seen = now
    },
    waitMs(cost) {
      const over = waiting() + cost * token - most
      if (over <= 0n) return 0n
      return cost * token > most ? undefined : dividedUp(over, rate)
    },
    spend(cost) {
      const ahead = waiting()
      free = seen * rate + ahead + cost * token
      return ahead > undelayed ? dividedUp(ahead - undelayed, rate) : 0n
    },
    report() {
      const room = most - waiting()
      const toNext = room === most ? 0n : token - (room % token)
      return {
        remaining: room / token,
        nextTokenAfterMs: dividedUp(toNext, rate),
        resetAfterMs: dividedUp(waiting(), rate),
      }
    },
    ticks: () => most - waiting(),
  }
}
