import { manualClock } from '@tickbucket/conformance'
import {
  type BucketState,
  type Decision,
  freshState,
  memoryStore,
  type Policy,
  take,
  tokenBucket,
} from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const POLICIES: readonly Policy[] = Object.freeze([
  tokenBucket({ name: 'burst', capacity: 3, rate: 1, periodMs: 50 }),
  tokenBucket({ name: 'long', capacity: 20, rate: 1, periodMs: 1000 }),
])

/** Every bucket of every client, none ever forgotten, by core's own arithmetic. */
class Unbounded {
  readonly #states = new Map<string, BucketState[]>()
  /** Buckets that the answers of another store showed to be forgotten there. */
  forgotten = 0

  /** The one right answer, if the other store forgets nothing but full buckets. */
  take(key: string, cost: number, now: number): Decision {
    return take(POLICIES, this.#statesOf(key, now), now, cost)
  }

  /** Checks an answer that may come from buckets that were dropped early; goes on from what it shows. */
  check(answer: Decision, key: string, cost: number, now: number): void {
    const kept = this.#statesOf(key, now)
    for (const dropped of [[], [0], [1], [0, 1]]) {
      const states = kept.map((state, at) =>
        dropped.includes(at) ? freshState(POLICIES[at]!, now) : { ...state },
      )
      if (!sameDecision(take(POLICIES, states, now, cost), answer)) continue
      this.#states.set(key, states)
      this.forgotten += dropped.length
      return
    }
    expect(answer, 'no bucket dropped, and not any subset of them').toEqual(take(POLICIES, kept, now, cost))
  }

  reset(key: string): void {
    this.#states.delete(key)
  }

  #statesOf(key: string, now: number): BucketState[] {
    let states = this.#states.get(key)
    if (states === undefined) {
      states = POLICIES.map((policy) => freshState(policy, now))
      this.#states.set(key, states)
    }
    return states
  }
}

function sameDecision(one: Decision, other: Decision): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

const steps = fc.array(
  fc.record({
    key: fc.integer({ min: 0, max: 11 }).map(String),
    byMs: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }) },
      { weight: 1, arbitrary: fc.integer({ min: -30_000, max: 30_000 }) },
    ),
    cost: fc.constantFrom(0, 1, 1, 2, 3, 4),
    what: fc.constantFrom('take', 'take', 'take', 'take', 'take', 'take', 'take', 'reset', 'sweep'),
  }),
  { minLength: 50, maxLength: 150 },
)

test('without early drops, every answer is that of a store that forgets nothing', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const clock = manualClock()
      const store = memoryStore({ clock, maxClients: 12 })
      const model = new Unbounded()
      let now = -Infinity
      for (const { key, byMs, cost, what } of steps) {
        clock.advance(byMs)
        // The store sees the time when it reads it.
        if (what !== 'reset') now = Math.max(now, clock())
        if (what === 'reset') {
          store.reset(key, POLICIES)
          model.reset(key)
        } else if (what === 'sweep') store.sweep()
        else expect(store.take(key, cost, POLICIES)).toEqual(model.take(key, cost, now))
      }
      expect(store.stats().droppedEarly).toBe(0)
    }),
    { numRuns: 500 },
  )
})

test('with early drops, every answer that differs is that of a bucket which stats() counted as dropped', () => {
  let forgotten = 0
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (steps, maxClients) => {
      const clock = manualClock()
      const store = memoryStore({ clock, maxClients })
      const model = new Unbounded()
      let now = -Infinity
      for (const { key, byMs, cost, what } of steps) {
        clock.advance(byMs)
        // The store sees the time when it reads it.
        if (what !== 'reset') now = Math.max(now, clock())
        if (what === 'reset') {
          store.reset(key, POLICIES)
          model.reset(key)
        } else if (what === 'sweep') store.sweep()
        else model.check(store.take(key, cost, POLICIES), key, cost, now)
        const { clients, droppedEarly } = store.stats()
        expect(clients).toBeLessThanOrEqual(maxClients * POLICIES.length)
        expect(model.forgotten).toBeLessThanOrEqual(droppedEarly)
      }
      forgotten += model.forgotten
    }),
    { numRuns: 500 },
  )
  expect(forgotten, 'the steps must be such that drops show').toBeGreaterThan(1000)
})

test('through growth and shrinking, a hundred thousand clients keep what is theirs', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const policy = tokenBucket({ capacity: 1000, perSecond: 1 })
  const policies = Object.freeze([policy])
  const model = new Map<string, BucketState>()
  for (let round = 0; round < 4; round += 1) {
    // In turn all clients come, and one in fifty.
    const step = round % 2 === 0 ? 1 : 50
    for (let n = 0; n < 100_000; n += step) {
      const key = `client-${n}`
      const state = model.get(key) ?? freshState(policy, clock())
      const right = take(policies, [state], clock(), 1 + (n % 7))
      model.set(key, state)
      expect(store.take(key, 1 + (n % 7), policies).remaining).toBe(right.remaining)
    }
    clock.advance(round % 2 === 0 ? 5000 : 2000)
  }
  store.sweep()
  store.sweep()
  expect(store.stats().clients).toBe(
    [...model.values()].filter((state) => take(policies, [state], clock(), 0).readings[0]!.resetAfterMs > 0)
      .length,
  )
})
