import { deepStrictEqual, strictEqual } from 'node:assert'
import { tokenBucket } from '@tickbucket/core'
import {
  type AdapterCase,
  adapterCase,
  type AnyOptions,
  isAllowed,
  isRefused,
  state,
} from './adapter-case.ts'

const DAY = 86_400_000
const draft = { rateLimitHeaders: 'draft-11' } as const
const three: AnyOptions = { capacity: 3, perMinute: 60 }

/** At each time: allowed with so many tokens left, or refused with a `Retry-After`; and the time to the next token. */
type Row = readonly [at: number, outcome: 'ok' | 'no', number: number, t?: number]

function story(name: string, options: AnyOptions, policy: string, rows: readonly Row[]): AdapterCase {
  return adapterCase(name, { ...options, ...draft }, async ({ clock, ask }) => {
    for (const [at, outcome, number, t = number] of rows) {
      clock.set(at)
      const answer = await ask()
      strictEqual(answer.headers['ratelimit-policy'], policy)
      if (outcome === 'ok') isAllowed(answer, number, state(number, t))
      else {
        isRefused(answer, number)
        strictEqual(answer.headers['ratelimit'], state(0, t), `at ${at}`)
      }
    }
  })
}

const ok = (at: number, left: number, t: number): Row => [at, 'ok', left, t]
const no = (at: number, retryAfter: number): Row => [at, 'no', retryAfter]

/** The arithmetic as it stands on the wire. */
export const arithmeticCases: readonly AdapterCase[] = [
  story('wire 01-04 three at once, then one a second', three, '"default";q=3;w=3', [
    ok(0, 2, 1),
    ok(0, 1, 1),
    ok(0, 0, 1),
    no(0, 1),
    no(400, 1),
    no(999, 1),
    ok(1000, 0, 1),
    no(1000, 1),
  ]),
  story('wire 05 half a token', three, '"default";q=3;w=3', [
    ok(0, 2, 1),
    ok(500, 1, 1),
    ok(500, 0, 1),
    no(500, 1),
  ]),
  story('wire 06-07 one a minute', { capacity: 1, perMinute: 1 }, '"default";q=1;w=60', [
    ok(0, 0, 60),
    no(0, 60),
    no(1, 60),
    no(1000, 59),
    no(1001, 59),
    no(29_999, 31),
    no(30_000, 30),
    no(59_001, 1),
    no(59_999, 1),
    ok(60_000, 0, 60),
  ]),
  story('wire 08 seven a minute', { capacity: 1, perMinute: 7 }, '"default";q=1;w=9', [
    ok(0, 0, 9),
    no(0, 9),
    no(571, 9),
    no(572, 8),
    no(8571, 1),
    ok(8572, 0, 9),
  ]),
  story('wire 09 ninety a minute', { capacity: 1, perMinute: 90 }, '"default";q=1;w=1', [
    ok(0, 0, 1),
    no(0, 1),
    no(666, 1),
    ok(667, 0, 1),
  ]),
  story('wire 11 one a day', { capacity: 1, perDay: 1 }, '"default";q=1;w=86400', [
    ok(0, 0, 86_400),
    no(1, 86_400),
    no(DAY - 1, 1),
    ok(DAY, 0, 86_400),
  ]),
  story(
    'wire 12 one in thirty days: no more seconds than a client can wait',
    { capacity: 1, rate: 1, periodMs: 30 * DAY },
    '"default";q=1;w=2592000',
    [ok(0, 0, 2_147_483), no(0, 2_147_483)],
  ),
  story('wire 13 fifty-nine a minute', { capacity: 1, perMinute: 59 }, '"default";q=1;w=2', [
    ok(0, 0, 2),
    no(0, 2),
    no(17, 1),
  ]),
  story('wire 14 a clock that steps back', { capacity: 2, perMinute: 60 }, '"default";q=2;w=2', [
    ok(10_000, 1, 1),
    ok(10_000, 0, 1),
    no(10_000, 1),
    no(4000, 1),
    no(5000, 1),
    no(10_999, 1),
    ok(11_000, 0, 1),
  ]),
  story('wire 15 a day of idling', three, '"default";q=3;w=3', [
    ok(0, 2, 1),
    ok(0, 1, 1),
    ok(0, 0, 1),
    ok(DAY, 2, 1),
  ]),
  story(
    'C01 C02 a wait below a second is 1, never 0, never a fraction',
    { capacity: 1, rate: 5, periodMs: 1000 },
    '"default";q=1;w=1',
    [ok(0, 0, 1), no(0, 1), no(199, 1)],
  ),
  story(
    'C02 half a second of waiting is 1',
    { capacity: 1, rate: 1, periodMs: 10_000 },
    '"default";q=1;w=10',
    [ok(0, 0, 10), no(9507, 1)],
  ),
  story(
    'C05 the wait is what is left, not the whole window',
    { capacity: 1, rate: 1, periodMs: 50_000 },
    '"default";q=1;w=50',
    [ok(0, 0, 50), no(45_000, 5), no(45_001, 5)],
  ),
  story(
    'C14 the wait comes from the tokens',
    { capacity: 2, rate: 1, periodMs: 30_000 },
    '"default";q=2;w=60',
    [ok(0, 1, 30), ok(20_000, 0, 10), no(20_500, 10)],
  ),
  adapterCase(
    'wire 10 a hundred a millisecond',
    { capacity: 100, perMinute: 6_000_000, ...draft },
    async ({ clock, ask }) => {
      for (let left = 99; left >= 0; left -= 1) isAllowed(await ask(), left, state(left, 1))
      isRefused(await ask(), 1)
      clock.set(1)
      isAllowed(await ask(), 99, state(99, 1))
    },
  ),
  adapterCase(
    'wire 16 at every rate: refused a second before Retry-After, let through at it',
    ({ header }) => ({
      policies: (ctx) => {
        const [capacity = 1, perMinute = 1] = (header(ctx, 'x-limit') ?? '').split('/').map(Number)
        return [tokenBucket({ name: `p${capacity}-${perMinute}`, capacity, perMinute })]
      },
    }),
    async ({ clock, ask }) => {
      for (const capacity of [1, 3]) {
        for (const perMinute of [1, 7, 59, 60, 61, 90, 600, 6_000_000]) {
          const asked = { headers: { 'x-limit': `${capacity}/${perMinute}` } }
          for (let left = capacity - 1; left >= 0; left -= 1) isAllowed(await ask(asked), left)
          const start = clock()
          const { status, headers } = await ask(asked)
          const waitMs = Number(headers['retry-after']) * 1000
          clock.set(start + waitMs - 1000)
          const early = await ask(asked)
          clock.set(start + waitMs)
          const late = await ask(asked)
          deepStrictEqual([status, early.status, late.status], [429, 429, 200], `${capacity}/${perMinute}`)
        }
      }
    },
  ),
]
