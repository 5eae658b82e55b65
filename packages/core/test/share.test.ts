import { fixedWindow, leakyBucket, slidingWindow, tokenBucket } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../src/policies/share.ts'

test('the shares of all balancers let flow what one would, and hold no more', () => {
  const whole = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(
      whole,
      whole,
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 1000 }),
      (capacity, rate, periodMs, balancers) => {
        const share = shareOf(tokenBucket({ capacity, rate, periodMs }), balancers)
        // Tokens per millisecond, of all of them: balancers * rate / periodMs of the share.
        expect([share.rate * balancers * periodMs, share.shape]).toEqual([
          rate * share.periodMs,
          'token-bucket',
        ])
        expect(share.capacity * balancers).toBeLessThanOrEqual(Math.max(capacity, balancers))
        expect(share.capacity * balancers).toBeGreaterThan(capacity - balancers)
      },
    ),
  )
})

test('one balancer has it all', () => {
  const policy = tokenBucket({ capacity: 5, perMinute: 5 })
  expect(shareOf(policy, 1)).toBe(policy)
})

test('the shares of the other shapes', () => {
  expect(shareOf(leakyBucket({ queue: 19, after: 9, perSecond: 10 }), 4)).toMatchObject({
    capacity: 5,
    after: 2,
    rate: 10,
    periodMs: 4000,
  })
  expect(shareOf(leakyBucket({ queue: 10, after: 10, perSecond: 10 }), 5)).toMatchObject({
    capacity: 2,
    after: 1,
  })
  expect(shareOf(fixedWindow({ perMinute: 100 }), 8)).toMatchObject({
    capacity: 12,
    rate: 12,
    periodMs: 60_000,
  })
  expect(shareOf(slidingWindow({ perMinute: 3 }), 8)).toMatchObject({
    capacity: 1,
    rate: 1,
    periodMs: 60_000,
  })
})
