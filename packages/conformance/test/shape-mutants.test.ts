import type { BucketState, Policy, ShapeName } from '@tickbucket/core'
import { describe, expect, test } from 'vitest'
import { breakableStore, type Parts, RIGHT } from './breakable-store.ts'
import { caseNamed } from './case-named.ts'

interface ShapeMutant {
  readonly what: string
  /** The case that is there to catch it. */
  readonly caught: string
  readonly parts: Partial<Parts>
}

/** Swaps a part for one shape, and leaves it right for all others. */
function only<K extends 'fill' | 'refill' | 'waitMs' | 'charge' | 'delayMs' | 'remaining' | 'resetAfterMs'>(
  shape: ShapeName,
  part: K,
  wrong: (policy: Policy, state: BucketState, number: number) => ReturnType<Parts[K]>,
): Partial<Parts> {
  const right = RIGHT[part] as typeof wrong
  return {
    [part]: (policy: Policy, state: BucketState, number: number) =>
      (policy.shape === shape ? wrong : right)(policy, state, number),
  }
}

const missing = (policy: Policy, { ticks }: BucketState): number => policy.capacity * policy.periodMs - ticks

const LEAKY: readonly ShapeMutant[] = [
  {
    what: 'waits for itself, too',
    caught: 'leaky bucket: of ten at once each waits for those before it',
    parts: only('leaky-bucket', 'delayMs', (policy, state) =>
      Math.ceil(missing(policy, state) / policy.rate),
    ),
  },
  {
    what: 'rounds a delay down',
    caught: 'leaky bucket: of ten at once each waits for those before it',
    parts: only('leaky-bucket', 'delayMs', (policy, state, cost) => {
      const ahead = missing(policy, state) - (cost + policy.after!) * policy.periodMs
      return Math.max(0, Math.floor(ahead / policy.rate))
    }),
  },
  {
    what: 'delays all if one is over what may pass',
    caught: 'leaky bucket: of ten at once each waits for those before it',
    parts: only('leaky-bucket', 'delayMs', (policy, state, cost) => {
      const ahead = missing(policy, state) - cost * policy.periodMs
      return ahead <= policy.after! * policy.periodMs ? 0 : Math.ceil(ahead / policy.rate)
    }),
  },
  {
    what: 'delays nobody',
    caught: 'leaky bucket: the delay of a decision is the longest of its policies',
    parts: only('leaky-bucket', 'delayMs', () => 0),
  },
  {
    what: 'tells each the same delay',
    caught: 'leaky bucket: of ten at once each waits for those before it',
    parts: only('leaky-bucket', 'delayMs', (policy, state) =>
      missing(policy, state) > policy.periodMs ? Math.ceil(policy.periodMs / policy.rate) : 0,
    ),
  },
  {
    what: 'counts a cost as one in the queue',
    caught:
      'golden vector: leaky bucket: a cost waits for what came before it, and what comes after waits for the cost',
    parts: only('leaky-bucket', 'delayMs', (policy, state) => RIGHT.delayMs(policy, state, 1)),
  },
  {
    what: 'has room for one less',
    caught: 'leaky bucket: of a hundred at once exactly three pass',
    parts: only('leaky-bucket', 'fill', (policy, state, now) => {
      state.ticks = (policy.capacity - 1) * policy.periodMs
      state.last = now
    }),
  },
]

const SLIDING: readonly ShapeMutant[] = [
  {
    what: 'is a fixed window',
    caught: 'sliding window: a burst at the end of a minute leaves nothing for the start of the next',
    parts: only('sliding-window', 'refill', (policy, state, now) => {
      const isNew = Math.floor(now / policy.periodMs) > Math.floor(state.last / policy.periodMs)
      if (isNew) RIGHT.fill(policy, state, now)
      state.last = Math.max(now, state.last)
    }),
  },
  {
    what: 'starts at the first take and ends as a whole',
    caught: 'golden vector: sliding window: three in any second',
    parts: only('sliding-window', 'refill', (policy, state, now) => {
      const log = state.log!
      if (log.length > 0 && now - log[1]! >= policy.periodMs) RIGHT.fill(policy, state, now)
      state.last = Math.max(now, state.last)
    }),
  },
  {
    what: 'lets what is as old as the window count',
    caught: 'golden vector: sliding window: one a millisecond, in a window of as many',
    parts: only('sliding-window', 'refill', (policy, state, now) =>
      RIGHT.refill({ ...policy, periodMs: policy.periodMs + 1 }, state, now),
    ),
  },
  {
    what: 'lets go of a take a millisecond early',
    caught:
      'sliding window: a cost of 1 is refused at every millisecond before retryAfterMs, allowed exactly at it',
    parts: only('sliding-window', 'refill', (policy, state, now) =>
      RIGHT.refill({ ...policy, periodMs: policy.periodMs - 1 }, state, now),
    ),
  },
  {
    what: 'counts a cost as one',
    caught: 'golden vector: sliding window: a cost waits until enough of the old is gone',
    parts: only('sliding-window', 'charge', (policy, state) => RIGHT.charge(policy, state, 1)),
  },
  {
    what: 'counts what is taken in one millisecond once',
    caught: 'sliding window: of a hundred at once exactly three pass',
    parts: only('sliding-window', 'charge', (policy, state, cost) => {
      const isSame = state.log!.at(-2) === state.last
      if (!isSame) RIGHT.charge(policy, state, cost)
    }),
  },
  {
    what: 'tells the wait for the oldest take whatever is asked',
    caught:
      'sliding window: a cost of 3 is refused at every millisecond before retryAfterMs, allowed exactly at it',
    parts: only('sliding-window', 'waitMs', (policy, state, cost) =>
      state.ticks >= cost ? 0 : policy.periodMs - (state.last - state.log![state.log![0]!]!),
    ),
  },
  {
    what: 'logs what it refuses',
    caught: 'sliding window: refusals change nothing',
    parts: {
      refused(state, now) {
        if (state.log !== undefined && state.log.length > 0) state.log[state.log.length - 2] = now
      },
    },
  },
  {
    what: 'is forgotten as its oldest take grows too old',
    caught: 'sliding window: what is full again may be forgotten, and nobody can tell',
    parts: {
      forgotten: (policy, { last, log }, now) =>
        log === undefined ? false : log.length === 0 || now - log[log[0]!]! >= policy.periodMs || last > now,
    },
  },
]

const FIXED: readonly ShapeMutant[] = [
  {
    what: 'starts at the first take',
    caught: 'fixed window: minutes begin with the clock’s, whenever a client came first',
    parts: {
      ...only('fixed-window', 'refill', (policy, state, now) => {
        if (now - state.last >= policy.periodMs) RIGHT.fill(policy, state, now)
      }),
      forgotten: () => false,
    },
  },
  {
    what: 'tells the whole window as the wait',
    caught:
      'fixed window: a cost of 1 is refused at every millisecond before retryAfterMs, allowed exactly at it',
    parts: only('fixed-window', 'waitMs', (policy, state, cost) =>
      state.ticks >= cost ? 0 : policy.periodMs,
    ),
  },
  {
    what: 'fills again as the clock steps back into an older window',
    caught:
      'golden vector: fixed window: a clock that steps back into an older window counts in the newer one',
    parts: only('fixed-window', 'refill', (policy, state, now) => {
      const number = (time: number) => Math.floor(time / policy.periodMs)
      if (number(now) !== number(state.last)) state.ticks = policy.capacity
      state.last = now
    }),
  },
  {
    what: 'cuts times before the epoch towards it',
    caught: 'golden vector: fixed window: windows before the epoch',
    parts: only('fixed-window', 'refill', (policy, state, now) => {
      const number = (time: number) => Math.trunc(time / policy.periodMs)
      if (number(now) > number(state.last)) state.ticks = policy.capacity
      state.last = Math.max(now, state.last)
    }),
  },
  {
    what: 'counts what it refuses',
    caught: 'fixed window: refusals change nothing',
    parts: { charged: (waits) => waits.map((wait) => wait !== Infinity) },
  },
  {
    what: 'carries what is left over into the next window',
    caught: 'golden vector: fixed window: three in each second',
    parts: {
      ...only('fixed-window', 'refill', (policy, state, now) => {
        const before = state.ticks
        RIGHT.refill(policy, state, now)
        if (state.ticks > before) state.ticks += before
      }),
      forgotten: () => false,
    },
  },
]

describe.each([
  ['a leaky bucket', LEAKY],
  ['a sliding window', SLIDING],
  ['a fixed window', FIXED],
])('%s that', (_shape, mutants) => {
  test.each(mutants)('$what is caught by: $caught', async ({ caught, parts }) => {
    const harness = { create: (clock: () => number) => breakableStore(clock, { ...RIGHT, ...parts }) }
    await expect(caseNamed(caught).run(harness)).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
  })
})
