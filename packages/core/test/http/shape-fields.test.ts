import {
  fixedWindow,
  freshState,
  leakyBucket,
  type Policy,
  slidingWindow,
  take,
  tokenBucket,
} from '@tickbucket/core'
import { expect, test } from 'vitest'
import { limitFields } from '../../src/http/fields.ts'

const SENT_NOTHING = { getHeader: () => undefined }

/** The fields after a client first seen at 1,000,010,000, ten seconds into a minute, has taken `cost`. */
function fieldsOf(policy: Policy, cost: number): Record<string, string> {
  const now = 16_667 * 60_000 + 10_000
  const decision = take([policy], [freshState(policy, now)], now, cost)
  const options = { rateLimitHeaders: 'draft-11', resetHeader: false } as const
  return Object.fromEntries(limitFields(decision, options, SENT_NOTHING))
}

test.each([
  [tokenBucket({ name: 'a', capacity: 20, perMinute: 100 }), '"a";q=20;w=12', '"a";r=17;t=1'],
  [leakyBucket({ name: 'a', queue: 19, perMinute: 100 }), '"a";q=20;w=12', '"a";r=17;t=1'],
  [slidingWindow({ name: 'a', perMinute: 100 }), '"a";q=100;w=60', '"a";r=97;t=60'],
  [slidingWindow({ name: 'a', limit: 100, windowMs: 1500 }), '"a";q=100;w=2', '"a";r=97;t=2'],
  [fixedWindow({ name: 'a', perMinute: 100 }), '"a";q=100;w=60', '"a";r=97;t=50'],
  [
    fixedWindow({ name: 'a', perDay: 100 }),
    '"a";q=100;w=86400',
    expect.stringMatching(/^"a";r=97;t=\d+$/) as string,
  ],
])('what %o tells of itself: %s', (policy, told, state) => {
  expect(fieldsOf(policy, 3)).toEqual({
    'X-RateLimit-Limit': String(policy.capacity),
    'X-RateLimit-Remaining': String(policy.capacity - 3),
    'RateLimit-Policy': told,
    RateLimit: state,
  })
})

test('whole seconds are whole even at the largest numbers', () => {
  const most = Number.MAX_SAFE_INTEGER
  expect(fieldsOf(slidingWindow({ name: 'a', limit: most, windowMs: 1 }), 1)['RateLimit-Policy']).toBe(
    '"a";q=999999999999999;w=1',
  )
  expect(fieldsOf(fixedWindow({ name: 'a', limit: 1, windowMs: most }), 1)['RateLimit-Policy']).toBe(
    '"a";q=1;w=9007199254741',
  )
})
