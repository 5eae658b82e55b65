import {
  type BucketState,
  type Clock,
  type Decision,
  decide,
  type Policy,
  type Reading,
  shapeOf,
  type Store,
} from '@tickbucket/core'

/**
 * A right store in small parts, each of which can be swapped for one that is wrong in the way of
 * some limiter somewhere.
 */
export interface Parts {
  fill(policy: Policy, state: BucketState, now: number): void
  refill(policy: Policy, state: BucketState, now: number): void
  waitMs(policy: Policy, state: BucketState, cost: number): number
  charge(policy: Policy, state: BucketState, cost: number): void
  delayMs(policy: Policy, state: BucketState, cost: number): number
  remaining(policy: Policy, state: BucketState): number
  resetAfterMs(policy: Policy, state: BucketState): number
  /** Which of the policies to charge, by what each of them waits. */
  charged(waits: readonly number[], cost: number): readonly boolean[]
  /** Whether a client that was not known is from now on. */
  kept(allowed: boolean, cost: number): boolean
  /** What a refusal leaves behind. */
  refused(state: BucketState, now: number): void
  nameOf(key: string, policy: Policy, policies: readonly Policy[]): string
  /** Whether a bucket is forgotten as time passes. */
  forgotten(policy: Policy, state: BucketState, now: number): boolean
  reset(buckets: Map<string, BucketState>, names: readonly string[]): void
  time(now: number): number
  readings(readings: Reading[]): readonly Reading[]
  /** What lies between reading the buckets and charging them. */
  pause(): Promise<void> | undefined
}

export const RIGHT: Parts = {
  fill: (policy, state, now) => shapeOf(policy).fill(policy, state, now),
  refill: (policy, state, now) => shapeOf(policy).refill(policy, state, now),
  waitMs: (policy, state, cost) => shapeOf(policy).waitMs(policy, state, cost),
  charge: (policy, state, cost) => shapeOf(policy).charge(policy, state, cost),
  delayMs: (policy, state, cost) => shapeOf(policy).delayMs(policy, state, cost),
  remaining: (policy, state) => shapeOf(policy).remaining(policy, state),
  resetAfterMs: (policy, state) => shapeOf(policy).resetAfterMs(policy, state),
  charged: (waits) => waits.map(() => waits.every((wait) => wait === 0)),
  kept: (allowed, cost) => allowed && cost > 0,
  refused: () => undefined,
  nameOf: (key, policy) => JSON.stringify([key, policy.name]),
  forgotten: (policy, state, now) => now - state.last >= shapeOf(policy).resetAfterMs(policy, state),
  reset: (buckets, names) => names.forEach((name) => buckets.delete(name)),
  time: (now) => now,
  readings: (readings) => readings,
  pause: () => undefined,
}

export function breakableStore(clock: Clock, parts: Parts): Store & { stats(): { clients: number } } {
  const buckets = new Map<string, BucketState>()

  function stateOf(name: string, policy: Policy, now: number): BucketState {
    const known = buckets.get(name)
    if (known !== undefined) return structuredClone(known)
    const state: BucketState = { ticks: 0, last: now, log: undefined }
    parts.fill(policy, state, now)
    return state
  }

  function finish(
    names: readonly string[],
    states: readonly BucketState[],
    policies: readonly Policy[],
    cost: number,
    now: number,
  ): Decision {
    const waits = states.map((state, index) => parts.waitMs(policies[index]!, state, cost))
    const allowed = waits.every((wait) => wait === 0)
    const charged = parts.charged(waits, cost)
    const readings = states.map((state, index): Reading => {
      const policy = policies[index]!
      if (charged[index] === true) parts.charge(policy, state, cost)
      if (!allowed) parts.refused(state, now)
      if (buckets.has(names[index]!) || parts.kept(allowed, cost)) buckets.set(names[index]!, state)
      return {
        policy,
        remaining: parts.remaining(policy, state),
        retryAfterMs: waits[index]!,
        delayMs: allowed && cost > 0 ? parts.delayMs(policy, state, cost) : 0,
        nextTokenAfterMs: shapeOf(policy).nextTokenAfterMs(policy, state),
        resetAfterMs: parts.resetAfterMs(policy, state),
      }
    })
    return decide(parts.readings(readings))
  }

  return {
    take(key, cost, policies) {
      const now = parts.time(clock())
      const names = policies.map((policy) => parts.nameOf(key, policy, policies))
      const states = policies.map((policy, index) => {
        const name = names[index]!
        const known = buckets.get(name)
        if (known !== undefined && parts.forgotten(policy, known, now)) buckets.delete(name)
        const state = stateOf(name, policy, now)
        parts.refill(policy, state, now)
        return state
      })
      const pause = parts.pause()
      return pause === undefined
        ? finish(names, states, policies, cost, now)
        : pause.then(() => finish(names, states, policies, cost, now))
    },
    reset(key, policies) {
      parts.reset(
        buckets,
        policies.map((policy) => parts.nameOf(key, policy, policies)),
      )
    },
    stats: () => ({ clients: buckets.size }),
  }
}
