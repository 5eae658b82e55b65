import { setImmediate } from 'node:timers/promises'
import type { BucketState, Policy, Reading } from '@tickbucket/core'
import { describe, expect, test } from 'vitest'
import { storeCases } from '../src/index.ts'
import { breakableStore, type Parts, RIGHT } from './breakable-store.ts'
import { caseNamed } from './case-named.ts'

interface Mutant {
  readonly what: string
  /** The case that is there to catch it. */
  readonly caught: string
  readonly parts: Partial<Parts>
}

const full = (policy: Policy): number => policy.capacity * policy.periodMs
const lent: Reading[] = []

const MUTANTS: readonly Mutant[] = [
  {
    what: 'charges a refusal',
    caught: 'a refusal costs nothing, however often it is heard',
    parts: { charged: (waits) => waits.map(() => true) },
  },
  {
    what: 'charges the first policy although the second refuses',
    caught: 'all policies are charged or none: burst before daily',
    parts: { charged: (waits) => waits.map((wait) => wait === 0) },
  },
  {
    what: 'charges up to the policy that refuses',
    caught: 'all policies are charged or none: daily before burst',
    parts: {
      charged: (waits) => waits.map((_, index) => waits.slice(0, index + 1).every((wait) => wait === 0)),
    },
  },
  {
    what: 'floors the wait',
    caught: 'refused at every millisecond before retryAfterMs, allowed exactly at it',
    parts: {
      waitMs(policy, state, cost) {
        if (state.ticks >= cost * policy.periodMs) return 0
        return Math.max(1, Math.floor((cost * policy.periodMs - state.ticks) / policy.rate))
      },
    },
  },
  {
    what: 'tells the wait for one token',
    caught: 'a wait is that of the cost asked, not of one token',
    parts: {
      waitMs: (policy, state, cost) =>
        state.ticks >= cost * policy.periodMs ? 0 : RIGHT.waitMs(policy, state, 1) || 1,
    },
  },
  {
    what: 'promises what can never be',
    caught: 'more than the bucket holds is refused for ever, and costs nothing',
    parts: {
      waitMs: (policy, state, cost) =>
        Math.max(0, Math.ceil((cost * policy.periodMs - state.ticks) / policy.rate)),
    },
  },
  {
    what: 'lends what it will change',
    caught: 'a decision is its caller’s own: it does not change later',
    parts: {
      readings(readings) {
        lent.splice(0, lent.length, ...readings)
        return lent
      },
    },
  },
  {
    what: 'forgets a second after the last touch',
    caught: 'a full bucket may be forgotten, and nobody can tell',
    parts: { forgotten: (_, state, now) => now - state.last > 1000 },
  },
  {
    what: 'reads, then writes',
    caught: 'of a hundred at once exactly the capacity pass',
    parts: { pause: () => setImmediate() },
  },
  {
    what: 'reads, then writes, under two policies',
    caught: 'of a hundred at once under two policies none is charged for a refusal',
    parts: { pause: () => setImmediate() },
  },
  {
    what: 'moves the last time back and earns it again',
    caught: 'golden vector: token bucket: old and new times in turn mint nothing',
    parts: {
      refill(policy, state, now) {
        if (now > state.last) RIGHT.refill(policy, state, now)
        else state.last = now
      },
    },
  },
  {
    what: 'takes tokens away as the clock steps back',
    caught: 'a clock that steps back earns nothing and loses nothing',
    parts: {
      refill(policy, state, now) {
        state.ticks = Math.min(full(policy), state.ticks + (now - state.last) * policy.rate)
        state.last = Math.max(state.last, now)
      },
    },
  },
  {
    what: 'throws away the part of a token at a refill',
    caught: 'golden vector: token bucket: 1 per 10 seconds: the part of an interval is kept',
    parts: {
      refill(policy, state, now) {
        RIGHT.refill(policy, state, now)
        state.ticks -= state.ticks % policy.periodMs
      },
    },
  },
  {
    what: 'cuts each gain to whole tokens, so that polling stops the refill',
    caught: 'golden vector: token bucket: 5 per second, polled every millisecond',
    parts: {
      refill(policy, state, now) {
        const tokens = Math.floor((Math.max(0, now - state.last) * policy.rate) / policy.periodMs)
        state.ticks = Math.min(full(policy), state.ticks + tokens * policy.periodMs)
        state.last = Math.max(now, state.last)
      },
    },
  },
  {
    what: 'counts in fractions of tokens',
    caught: 'golden vector: token bucket: 1 per minute, whole seconds of waiting',
    parts: {
      refill(policy, state, now) {
        const tokens =
          state.ticks / policy.periodMs + Math.max(0, now - state.last) * (policy.rate / policy.periodMs)
        state.ticks = Math.min(policy.capacity, tokens) * policy.periodMs
        state.last = Math.max(now, state.last)
      },
    },
  },
  {
    what: 'fills above the capacity',
    caught: 'golden vector: token bucket: a day of idling fills up to the capacity and no further',
    parts: {
      forgotten: () => false,
      refill(policy, state, now) {
        state.ticks += Math.max(0, now - state.last) * policy.rate
        state.last = Math.max(now, state.last)
      },
    },
  },
  {
    what: 'holds one token more',
    caught: 'of a hundred at once exactly the capacity pass',
    parts: {
      fill(policy, state, now) {
        state.ticks = full(policy) + policy.periodMs
        state.last = now
      },
    },
  },
  {
    what: 'starts empty',
    caught: 'a client that is not known has a full bucket',
    parts: {
      fill(_, state, now) {
        state.ticks = 0
        state.last = now
      },
    },
  },
  {
    what: 'spends on a read',
    caught: 'a read costs nothing and makes nobody known',
    parts: { remaining: (policy, state) => RIGHT.remaining(policy, state) - 1 },
  },
  {
    what: 'keeps a client that was only read',
    caught: 'a read costs nothing and makes nobody known',
    parts: {
      kept: () => true,
      forgotten: () => false,
      charged: (waits, cost) => waits.map(() => cost > 0 && waits.every((wait) => wait === 0)),
    },
  },
  {
    what: 'starts the wait anew at each refusal',
    caught: 'hammering neither keeps a client out nor lets it in',
    parts: {
      refill: (policy, state, now) => {
        const before = { ...state }
        RIGHT.refill(policy, state, now)
        if (RIGHT.waitMs(policy, state, 1) > 0) state.ticks = before.ticks
      },
    },
  },
  {
    what: 'reads the milliseconds of the clock alone',
    caught: 'golden vector: token bucket: 1 a day',
    parts: { time: (now) => now % 1000 },
  },
  {
    what: 'reads the seconds of the clock alone',
    caught: 'refused at every millisecond before retryAfterMs, allowed exactly at it',
    parts: { time: (now) => now - (now % 1000) },
  },
  {
    what: 'counts in 32 bits',
    caught: 'golden vector: token bucket: the largest bucket of a minute',
    parts: {
      refill(policy: Policy, state: BucketState, now: number) {
        RIGHT.refill(policy, state, now)
        // eslint-disable-next-line unicorn/prefer-math-trunc -- the fault is that it is not Math.trunc
        state.ticks |= 0
      },
    },
  },
  {
    what: 'has one bucket for all clients',
    caught: 'two keys are strangers',
    parts: { nameOf: (_, policy) => policy.name },
  },
  {
    what: 'has one bucket for all policies of a client',
    caught: 'two policies of one key are strangers, too',
    parts: { nameOf: (key) => key },
  },
  {
    what: 'has one bucket for each list of policies',
    caught: 'a policy alone and the same one among others share their bucket',
    parts: { nameOf: (key, policy, policies) => JSON.stringify([key, policy.name, policies.length]) },
  },
  ...['', '.', '-', '_'].flatMap((separator) => [
    {
      what: `joins key and name with ${JSON.stringify(separator)}`,
      caught: 'no key and name join to what another key and name join to',
      parts: { nameOf: (key: string, policy: Policy) => `${key}${separator}${policy.name}` },
    },
    {
      what: `joins name and key with ${JSON.stringify(separator)}`,
      caught: 'no key and name join to what another key and name join to',
      parts: { nameOf: (key: string, policy: Policy) => `${policy.name}${separator}${key}` },
    },
  ]),
  {
    what: 'cuts long keys',
    caught: 'every key is a key of its own',
    parts: { nameOf: (key, policy) => JSON.stringify([key.slice(0, 1024), policy.name]) },
  },
  {
    what: 'writes keys as UTF-8',
    caught: 'every key is a key of its own',
    parts: { nameOf: (key, policy) => JSON.stringify([key.toWellFormed(), policy.name]) },
  },
  {
    what: 'folds the case of keys',
    caught: 'every key is a key of its own',
    parts: { nameOf: (key, policy) => JSON.stringify([key.toLowerCase(), policy.name]) },
  },
  {
    what: 'normalises keys',
    caught: 'every key is a key of its own',
    parts: { nameOf: (key, policy) => JSON.stringify([key.normalize(), policy.name]) },
  },
  {
    what: 'resets everybody',
    caught: 'a reset makes one client new, under the policies that are named',
    parts: { reset: (buckets) => buckets.clear() },
  },
  {
    what: 'resets nobody',
    caught: 'a reset makes one client new, under the policies that are named',
    parts: { reset: () => undefined },
  },
  {
    what: 'sorts the readings',
    caught: 'readings stand in the order of the policies',
    parts: { readings: (readings) => readings.toSorted((a, b) => (a.policy.name < b.policy.name ? -1 : 1)) },
  },
]

test.each(storeCases)('a right store in parts passes: $name', ({ run }) =>
  run({ create: (clock) => breakableStore(clock, RIGHT) }),
)

describe('a store that', () => {
  test.each(MUTANTS)('$what is caught by: $caught', async ({ caught, parts }) => {
    const harness = { create: (clock: () => number) => breakableStore(clock, { ...RIGHT, ...parts }) }
    await expect(caseNamed(caught).run(harness)).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
  })
})
