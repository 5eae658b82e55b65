import { deepStrictEqual } from 'node:assert'
import type { Clock, Decision, Policy, ShapeName, Store } from '@tickbucket/core'
import { summaryOf } from './bigint-model.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

/** What a suite gives to the cases: its own way to make a store. */
export interface StoreHarness {
  /** A fresh store, apart from all others, that takes its time from `clock`. */
  create(clock: Clock): Store | Promise<Store>
}

/** One thing that a store owes. Any runner can run it; it throws an assertion error if it does not hold. */
export interface StoreCase {
  readonly name: string
  /** The shapes of its policies, for suites of stores that do not know all. */
  readonly shapes: readonly ShapeName[]
  run(harness: StoreHarness): Promise<void>
}

interface Ask {
  readonly key?: string
  readonly cost?: number
}

/** A store under test, and its clock. */
export interface Bench {
  readonly clock: ManualClock
  readonly store: Store
  /** Takes one token of `client`, or what is asked. */
  readonly take: (policies: readonly Policy[], ask?: Ask) => Promise<Decision>
  /** Takes, and the answer must be this, with the tokens left if they are given. */
  readonly allowed: (policies: readonly Policy[], ask?: Ask & { readonly left?: number }) => Promise<void>
  /** Takes, and must be told to wait this long. */
  readonly refused: (policies: readonly Policy[], retryAfterMs: number, ask?: Ask) => Promise<void>
  /** The tokens left under each policy, by a read. */
  readonly left: (policies: readonly Policy[], key?: string) => Promise<number[]>
}

/** A case from its name, its steps on a fresh store, and the shapes that it needs. */
export function storeCase(
  name: string,
  steps: (bench: Bench) => Promise<void>,
  shapes: readonly ShapeName[] = ['token-bucket'],
): StoreCase {
  return {
    name,
    shapes,
    async run(harness) {
      const clock = manualClock(1_000_000)
      await steps(benchOf(await harness.create(clock), clock))
    },
  }
}

function benchOf(store: Store, clock: ManualClock): Bench {
  const take: Bench['take'] = async (policies, { key = 'client', cost = 1 } = {}) =>
    store.take(key, cost, policies)
  return {
    clock,
    store,
    take,
    async allowed(policies, { left, ...ask } = {}) {
      const { allowed, retryAfterMs, remaining } = await take(policies, ask)
      const seen = { allowed, retryAfterMs, left: left === undefined ? undefined : remaining }
      deepStrictEqual(seen, { allowed: true, retryAfterMs: 0, left }, `at ${clock()}`)
    },
    async refused(policies, wait, ask) {
      const { allowed, retryAfterMs } = await take(policies, ask)
      deepStrictEqual({ allowed, retryAfterMs }, { allowed: false, retryAfterMs: wait }, `at ${clock()}`)
    },
    async left(policies, key) {
      const decision = await take(policies, key === undefined ? { cost: 0 } : { key, cost: 0 })
      deepStrictEqual([decision.allowed, decision.retryAfterMs], [true, 0], 'a read is allowed')
      return summaryOf(decision).readings.map(({ remaining }) => remaining)
    },
  }
}
