import { manualClock } from '@tickbucket/conformance'
import { createLimiter, freshState, memoryStore, systemClock, take, tokenBucket } from '@tickbucket/core'
import { expect, test, vi } from 'vitest'
import { neverBack } from '../src/clock.ts'
import { play } from './support/story.ts'

test('the system clock tells whole milliseconds since the epoch, and never runs back', () => {
  const times = Array.from({ length: 10_000 }, systemClock)
  expect(times.every(Number.isSafeInteger)).toBe(true)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(Math.abs(systemClock() - Date.now())).toBeLessThan(60_000)
})

test('the system clock does not follow a changed system time', () => {
  const before = systemClock()
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  expect(systemClock()).toBeGreaterThanOrEqual(before)
  vi.useRealTimers()
})

test('neverBack keeps the latest time, whole, and outlives nonsense', () => {
  const told = [5, 3, 7.9, Number.NaN, -Infinity, Infinity, 7.2, 8]
  const clock = neverBack(() => told.shift() ?? 0)
  expect(Array.from({ length: 8 }, clock)).toEqual([5, 5, 7, 7, 7, 7, 7, 8])
})

test.each([Number.NaN, undefined, '5', Infinity, new Date(0)])(
  'a clock that tells %o is an error',
  (time) => {
    expect(() => memoryStore({ clock: () => time as number })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option: 'clock', value: time }),
    )
  },
)

test('B01 a clock that steps back locks nobody out', () => {
  play({ capacity: 5, rate: 1, periodMs: 1000 }, [
    { at: 100_000, times: 3, allowed: true },
    { at: 89_000, allowed: true, remaining: 1 },
  ])
})

test('B02 old and new times in turn mint no tokens', () => {
  const swings = Array.from({ length: 50 }, (_, index) => ({
    at: index % 2 === 0 ? 9000 : 10_000,
    allowed: false,
  }))
  play({ capacity: 2, rate: 1, periodMs: 1000 }, [
    { at: 10_000, times: 2, allowed: true },
    ...swings,
    { at: 11_000, allowed: true },
    { at: 11_000, allowed: false },
  ])
})

test('B02 the arithmetic itself, without a store, adds nothing for a step back', () => {
  const policy = tokenBucket({ capacity: 2, perMinute: 60 })
  const state = freshState(policy, 10_000)
  take([policy], [state], 10_000, 2)
  for (const at of [4000, 5000, 10_999])
    expect(take([policy], [state], at, 1).allowed, `at ${at}`).toBe(false)
  // The wait is counted from the bucket's own last time, so it stays true under any clock.
  expect(take([policy], [state], 4000, 1).retryAfterMs).toBe(1)
  expect(take([policy], [state], 11_000, 1).allowed).toBe(true)
})

test('B04 no answer waits for a timer', () => {
  vi.useFakeTimers()
  const clock = manualClock()
  const limiter = createLimiter({ capacity: 20, rate: 20, periodMs: 5000, store: memoryStore({ clock }) })
  limiter.take('client', 20)
  clock.set(7000)
  expect(limiter.take('client')).toMatchObject({ allowed: true, remaining: 19, retryAfterMs: 0 })
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('B05 each client has its own time', () => {
  play({ capacity: 1, rate: 1, periodMs: 10_000 }, [
    { at: 0, key: 'U', allowed: true },
    { at: 7000, key: 'V', allowed: true },
    { at: 7000, key: 'V', allowed: false, retryAfterMs: 10_000 },
    { at: 12_000, key: 'V', allowed: false, retryAfterMs: 5000 },
    { at: 17_000, key: 'V', allowed: true },
  ])
})

test('B07 requests in the same millisecond are each counted', () => {
  play({ capacity: 10, rate: 10, periodMs: 60_000 }, [
    { at: 0, times: 10, allowed: true },
    { at: 0, times: 10, allowed: false },
  ])
})

const MIDNIGHT = Date.UTC(2026, 0, 2)
test.each([0, 1, 499, 500, 999, 59_999, MIDNIGHT - 1, MIDNIGHT - 60_001])(
  'B08 the refill is the same from every phase of the clock: %i',
  (start) => {
    play({ capacity: 5, rate: 5, periodMs: 60_000 }, [
      { at: start, times: 5, allowed: true },
      { at: start + 11_999, allowed: false, retryAfterMs: 1 },
      { at: start + 12_000, allowed: true },
    ])
  },
)

test('F01 a period of a month neither overflows nor resets early', () => {
  const day = 86_400_000
  play({ capacity: 5, rate: 5, periodMs: 30 * day }, [
    { at: 0, times: 5, allowed: true },
    { at: day, allowed: false, retryAfterMs: 5 * day },
    { at: 6 * day - 1, allowed: false, retryAfterMs: 1 },
    { at: 6 * day, allowed: true },
  ])
})
