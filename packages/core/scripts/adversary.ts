import { type BucketState, freshState, type Policy, take } from '@tickbucket/core'

/** One client on the pure arithmetic, and when what it took goes on: the times, in milliseconds. */
interface Client {
  readonly policy: Policy
  readonly state: BucketState
  readonly passed: number[]
}

/** Silence for a while, then as much as can be had, as soon as it can be had, for a while. */
interface Spell {
  readonly silentMs: number
  readonly greedyMs: number
}

/** Takes one token after another from `from` to `until`, each as soon as it is promised. */
function beGreedy({ policy, state, passed }: Client, from: number, until: number): void {
  let now = from
  while (now <= until) {
    const { allowed, retryAfterMs, delayMs } = take([policy], [state], now, 1)
    if (allowed) passed.push(now + delayMs)
    else now += retryAfterMs
  }
}

/** When the requests of a client go on that lives by `spells` from the time 0. */
export function passedUnder(policy: Policy, spells: readonly Spell[]): readonly number[] {
  const client: Client = { policy, state: freshState(policy, 0), passed: [] }
  let now = 0
  for (const { silentMs, greedyMs } of spells) {
    now += silentMs
    beGreedy(client, now, now + greedyMs)
    now += greedyMs + 1
  }
  return client.passed
}

export interface Window {
  readonly start: number
  readonly count: number
}

/** The fullest window of `windowMs` milliseconds; the earliest of them. */
export function fullestWindow(passed: readonly number[], windowMs: number): Window {
  let fullest: Window = { start: 0, count: 0 }
  let end = 0
  for (const [index, start] of passed.entries()) {
    while (end < passed.length && passed[end]! < start + windowMs) end += 1
    if (end - index > fullest.count) fullest = { start, count: end - index }
  }
  return fullest
}

/**
 * Searches for the worst that a policy lets through in any window of `windowMs`: climbs from random
 * lives of an adversary by changing one spell at a time. The same on every run.
 */
export function worstWindow(policy: Policy, windowMs: number, seed = 1): number {
  const random = randomFrom(seed)
  const span = 2 * Math.max(policy.periodMs, windowMs)
  const spell = (): Spell => ({ silentMs: random(span), greedyMs: random(span) })
  let worst = 0
  for (let start = 0; start < 20; start += 1) {
    let spells = [spell(), spell(), spell()]
    let best = fullestWindow(passedUnder(policy, spells), windowMs).count
    for (let step = 0; step < 60; step += 1) {
      const changed = spells.with(random(spells.length), spell())
      const { count } = fullestWindow(passedUnder(policy, changed), windowMs)
      if (count >= best) {
        best = count
        spells = changed
      }
    }
    worst = Math.max(worst, best)
  }
  return worst
}

/** Whole numbers below what is asked for: a linear congruential generator (Numerical Recipes, 7.1). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
