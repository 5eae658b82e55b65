import { manualClock } from '@tickbucket/conformance'
import { createLimiter, freshState, memoryStore, take, tokenBucket } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { admitted, every, play } from './support/story.ts'

test('the golden vector: capacity 3, 60 per minute', () => {
  play({ capacity: 3, perMinute: 60 }, [
    { at: 0, allowed: true, remaining: 2 },
    { at: 0, allowed: true, remaining: 1 },
    { at: 0, allowed: true, remaining: 0 },
    { at: 400, allowed: false, remaining: 0, retryAfterMs: 600 },
    { at: 1000, allowed: true, remaining: 0 },
  ])
  const policy = tokenBucket({ capacity: 3, perMinute: 60 })
  const state = freshState(policy, 0)
  expect(state.ticks).toBe(180_000)
  take([policy], [state], 0, 3)
  take([policy], [state], 400, 1)
  expect(state.ticks).toBe(24_000)
  take([policy], [state], 1000, 0)
  expect(state.ticks).toBe(60_000)
})

test('A01 the part of an interval that has passed is never thrown away', () => {
  play({ capacity: 10, rate: 1, periodMs: 10_000 }, [
    { at: 0, times: 10, allowed: true },
    { at: 25_000, times: 2, allowed: true },
    { at: 29_000, allowed: false, retryAfterMs: 1000 },
    { at: 30_000, allowed: true },
  ])
})

test.each([
  { capacity: 5, rate: 5, periodMs: 1000 },
  { capacity: 5, rate: 1, periodMs: 1000 },
  { capacity: 5, rate: 7, periodMs: 13_000 },
  { capacity: 5, perMinute: 1 },
])('A02 polling every millisecond does not stop the refill: %o', (options) => {
  const { rate, periodMs } = tokenBucket(options)
  const clock = manualClock()
  const limiter = createLimiter({ ...options, store: memoryStore({ clock }) })
  limiter.take('client', 5)
  const times: number[] = []
  for (let at = 1; times.length < 3; at += 1) {
    clock.set(at)
    if (limiter.take('client').allowed) times.push(at)
  }
  expect(times).toEqual([1, 2, 3].map((token) => Math.ceil((token * periodMs) / rate)))
})

test('A04 a rate that has no exact binary form admits the first request, and then on time', () => {
  play({ capacity: 1, rate: 7, periodMs: 13_000 }, [
    { at: 0, allowed: true },
    { at: 0, allowed: false, retryAfterMs: 1858 },
    { at: 1857, allowed: false, retryAfterMs: 1 },
    { at: 1858, allowed: true },
  ])
})

test('A05 a rate of zero is refused when the policy is made', () => {
  expect(() => tokenBucket({ capacity: 1, perSecond: 0 })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', option: 'perSecond', value: 0 }),
  )
})

test('A07 a huge rate does not round the cost of a token to zero', () => {
  play({ capacity: 1, perSecond: 2e9 }, [
    { at: 0, allowed: true },
    { at: 0, allowed: false, retryAfterMs: 1 },
    { at: 1, allowed: true, remaining: 0 },
  ])
  play({ capacity: 1, perSecond: Number.MAX_SAFE_INTEGER }, [
    { at: 0, allowed: true },
    { at: 0, allowed: false, retryAfterMs: 1 },
    { at: 1, allowed: true, remaining: 0 },
  ])
})

test('A08 a refusal does not burn the tokens that are left', () => {
  play({ capacity: 10, perHour: 1 }, [
    { at: 0, cost: 8, allowed: true, remaining: 2 },
    { at: 0, cost: 5, times: 100, allowed: false, remaining: 2 },
    { at: 0, cost: 1, allowed: true, remaining: 1 },
  ])
})

test('A10 no extra token slips through as the clock moves', () => {
  play({ capacity: 5, rate: 1, periodMs: 1000 }, [
    { at: 0, times: 5, allowed: true },
    { at: 0, allowed: false },
    { at: 999, allowed: false },
    { at: 1000, allowed: true },
    { at: 1000, allowed: false },
    { at: 1999, allowed: false },
    { at: 2000, allowed: true },
  ])
})

test.each([1, 2, 15, 1000])('A11 a capacity of %i is that many, not one more', (capacity) => {
  play({ capacity, rate: capacity, periodMs: 60_000 }, [
    { at: 0, allowed: true, remaining: capacity - 1 },
    ...Array.from({ length: capacity - 1 }, (_, index) => ({
      at: 0,
      allowed: true,
      remaining: capacity - 2 - index,
    })),
    { at: 0, times: 2, allowed: false, remaining: 0 },
  ])
})

test('A13 a bucket of 60 with 60 per minute admits 120 in its first minute, and we say so', () => {
  expect(admitted({ capacity: 60, perMinute: 60 }, every(500, 0, 60_000))).toBe(120)
  expect(admitted({ capacity: 60, perMinute: 60 }, every(500, 0, 59_500))).toBe(119)
})

test('A14 a bucket does not underfill at a high rate', () => {
  // Five requests in each millisecond, as whole milliseconds see 0.2 ms steps.
  const times = Array.from({ length: 50_000 }, (_, index) => Math.floor(index / 5))
  expect(admitted({ capacity: 1000, perSecond: 1000 }, times)).toBe(10_999)
  expect(admitted({ capacity: 1000, perSecond: 1000 }, times.slice(0, 5000))).toBe(1999)
})

test.each([-3, Number.NaN, Infinity, -Infinity, 1.5, -0.1, '1', null, {}, 2 ** 53])(
  'A16 a cost of %s is an error and changes nothing',
  (cost) => {
    const limiter = createLimiter({ capacity: 5, perMinute: 5, store: memoryStore({ clock: manualClock() }) })
    limiter.take('client', 2)
    expect(() => limiter.take('client', cost as number)).toThrow(
      expect.objectContaining({ code: 'INVALID_COST', option: 'cost', value: cost }),
    )
    expect(limiter.peek('client').remaining).toBe(3)
  },
)

test('A16 a cost of 0 is always allowed and changes nothing', () => {
  play({ capacity: 5, rate: 5, periodMs: 60_000 }, [
    { at: 0, cost: 0, allowed: true, remaining: 5 },
    { at: 0, cost: 5, allowed: true, remaining: 0 },
    { at: 0, cost: 0, allowed: true, remaining: 0, retryAfterMs: 0 },
  ])
})

test('A17 reading a balance is up to date and spends nothing', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const limiter = createLimiter({ capacity: 10, perSecond: 1, store })
  limiter.take('client', 10)
  clock.set(4000)
  expect(limiter.peek('client').remaining).toBe(4)
  expect(limiter.peek('client').remaining).toBe(4)
  expect(limiter.take('client')).toMatchObject({ allowed: true, remaining: 3 })
  expect(limiter.peek('unseen').remaining).toBe(10)
  expect(store.stats().clients).toBe(1)
})

test.each([Infinity, Number.NaN])('A19 a rate of %s is refused when the policy is made', (rate) => {
  expect(() => tokenBucket({ capacity: 5, perSecond: rate })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', option: 'perSecond' }),
  )
})

test('a cost above the capacity can never pass, and says so', () => {
  play({ capacity: 5, perSecond: 1000 }, [
    { at: 0, cost: 6, allowed: false, remaining: 5, retryAfterMs: Infinity },
    { at: 86_400_000, cost: 6, allowed: false, remaining: 5, retryAfterMs: Infinity },
    { at: 86_400_000, cost: Number.MAX_SAFE_INTEGER, allowed: false, remaining: 5, retryAfterMs: Infinity },
    { at: 86_400_000, cost: 5, allowed: true, remaining: 0 },
  ])
})
