import type { Decision, Policy } from '@tickbucket/core'
import { fixedWindowModel } from './models/fixed-window.ts'
import { leakyBucketModel } from './models/leaky-bucket.ts'
import type { ModelBucket } from './models/model-bucket.ts'
import { slidingWindowModel } from './models/sliding-window.ts'
import { tokenBucketModel } from './models/token-bucket.ts'

/** What a decision says, in plain numbers, for a comparison. */
export interface Summary {
  readonly allowed: boolean
  readonly readings: readonly SummedReading[]
}

export interface SummedReading {
  readonly policy: string
  readonly remaining: number
  readonly retryAfterMs: number
  readonly delayMs: number
  readonly nextTokenAfterMs: number
  readonly resetAfterMs: number
}

/** Whose time never runs back: each `bucket`'s own (the pure arithmetic), or the whole `store`'s. */
export type TimeRule = 'bucket' | 'store'

/** Buckets without bound, in BigInt, by the definition: slow, and hard to get wrong. */
export interface Model {
  take(key: string, cost: number, policies: readonly Policy[], now: number): Summary
  reset(key: string, policies: readonly Policy[]): void
  /** Makes the bucket of a key known, full, as of `now`: the pure arithmetic starts so. */
  know(key: string, policy: Policy, now: number): void
  /** What the bucket of a key held when it was last touched, in ticks; `undefined` if it is not known. */
  ticks(key: string, policy: Policy): bigint | undefined
}

/**
 * An independent model of every store: what it answers is right by construction.
 *
 * @example
 * const model = createModel('store')
 * model.take('client', 1, [policy], clock())
 */
export function createModel(rule: TimeRule): Model {
  const buckets = new Map<string, ModelBucket>()
  let latest: bigint | undefined

  function timeOf(now: number): bigint {
    const told = BigInt(now)
    if (rule === 'bucket') return told
    latest = latest === undefined || told > latest ? told : latest
    return latest
  }

  return {
    take(key, cost, policies, now) {
      const time = timeOf(now)
      const asked = policies.map((policy) => buckets.get(nameOf(key, policy)) ?? modelBucket(policy, time))
      for (const bucket of asked) bucket.pass(time)
      const waits = asked.map((bucket) => bucket.waitMs(BigInt(cost)))
      const allowed = waits.every((wait) => wait === 0n)
      const isTaken = allowed && cost > 0
      const delays = asked.map((bucket) => (isTaken ? bucket.spend(BigInt(cost)) : 0n))
      if (isTaken) {
        for (const [index, bucket] of asked.entries()) buckets.set(nameOf(key, policies[index]!), bucket)
      }
      return {
        allowed,
        readings: asked.map((bucket, index) =>
          summed(policies[index]!, bucket, waits[index], delays[index]!),
        ),
      }
    },

    reset(key, policies) {
      for (const policy of policies) buckets.delete(nameOf(key, policy))
    },

    know(key, policy, now) {
      buckets.set(nameOf(key, policy), modelBucket(policy, timeOf(now)))
    },

    ticks(key, policy) {
      return buckets.get(nameOf(key, policy))?.ticks()
    },
  }
}

function nameOf(key: string, policy: Policy): string {
  return JSON.stringify([key, policy.name])
}

function summed(policy: Policy, bucket: ModelBucket, wait: bigint | undefined, delay: bigint): SummedReading {
  const { remaining, nextTokenAfterMs, resetAfterMs } = bucket.report()
  return {
    policy: policy.name,
    remaining: Number(remaining),
    retryAfterMs: wait === undefined ? Infinity : Number(wait),
    delayMs: Number(delay),
    nextTokenAfterMs: Number(nextTokenAfterMs),
    resetAfterMs: Number(resetAfterMs),
  }
}

/** A decision in the words of the model. */
export function summaryOf(decision: Decision): Summary {
  return {
    allowed: decision.allowed,
    readings: decision.readings.map(
      ({ policy, remaining, retryAfterMs, delayMs, nextTokenAfterMs, resetAfterMs }) => ({
        policy: policy.name,
        remaining,
        retryAfterMs,
        delayMs,
        nextTokenAfterMs,
        resetAfterMs,
      }),
    ),
  }
}

const MODELS = {
  'token-bucket': tokenBucketModel,
  'leaky-bucket': leakyBucketModel,
  'sliding-window': slidingWindowModel,
  'fixed-window': fixedWindowModel,
} as const

/** A full bucket of a policy's shape. */
function modelBucket(policy: Policy, now: bigint): ModelBucket {
  return MODELS[policy.shape](policy, now)
}
