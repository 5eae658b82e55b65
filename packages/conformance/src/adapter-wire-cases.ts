import { deepStrictEqual, strictEqual } from 'node:assert'
import { tokenBucket } from '@tickbucket/core'
import {
  type AdapterCase,
  adapterCase,
  type AnyOptions,
  isAllowed,
  isRefused,
  type Site,
  state,
} from './adapter-case.ts'

const draft = { rateLimitHeaders: 'draft-11' } as const
const burst = tokenBucket({ name: 'burst', capacity: 10, perMinute: 600 })
const daily = tokenBucket({ name: 'daily', capacity: 1000, perDay: 1000 })

function costed({ header }: Pick<Site, 'header'>): AnyOptions['cost'] {
  return (ctx) => Number(header(ctx, 'cost') ?? 1)
}

const costs: readonly AdapterCase[] = [
  adapterCase(
    'wire 17 costs',
    (site) => ({ capacity: 10, perMinute: 30, cost: costed(site), ...draft }),
    async ({ clock, ask }) => {
      isAllowed(await ask({ headers: { cost: '8' } }), 2, state(2, 2))
      const refused = await ask({ headers: { cost: '5' } })
      isRefused(refused, 6, 2)
      strictEqual(refused.headers['ratelimit'], state(2, 2))
      clock.set(6000)
      isAllowed(await ask({ headers: { cost: '5' } }), 0, state(0, 2))
    },
  ),
  adapterCase(
    'G20 wire 18 a cost above the capacity is refused without a time',
    (site) => ({ capacity: 10, perMinute: 30, cost: costed(site) }),
    async ({ ask, counted }) => {
      const { status, headers } = await ask({ headers: { cost: '25' } })
      deepStrictEqual(
        [status, headers['retry-after'], headers['x-ratelimit-remaining']],
        [429, undefined, '10'],
      )
      deepStrictEqual(await counted({ headers: { cost: '6' } }), [200, '4'])
      deepStrictEqual(await counted({ headers: { cost: '6' } }), [429, '4'])
      deepStrictEqual(await counted({ headers: { cost: '0' } }), [200, '4'])
    },
  ),
]

const policies: readonly AdapterCase[] = [
  adapterCase('wire 19-20 two policies', { policies: [burst, daily], ...draft }, async ({ ask }) => {
    const first = await ask()
    isAllowed(first, 9, '"burst";r=9;t=1, "daily";r=999;t=87')
    strictEqual(first.headers['ratelimit-policy'], '"burst";q=10;w=1, "daily";q=1000;w=86400')
    strictEqual(first.headers['x-ratelimit-limit'], '10')
    for (let left = 8; left >= 0; left -= 1) await ask()
    const refused = await ask()
    isRefused(refused, 1, 0, ['burst'])
    strictEqual(refused.headers['ratelimit'], '"burst";r=0;t=1')
    strictEqual(refused.headers['ratelimit-policy'], '"burst";q=10;w=1, "daily";q=1000;w=86400')
  }),
  adapterCase(
    'wire 20 the policy that did not refuse is not charged',
    { policies: [burst, daily] },
    async ({ clock, ask }) => {
      for (let count = 0; count < 15; count += 1) await ask()
      clock.set(100)
      const { headers } = await ask()
      deepStrictEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['10', '0'])
      clock.set(1100)
      strictEqual((await ask()).headers['x-ratelimit-remaining'], '9')
    },
  ),
  adapterCase(
    'wire 21 two policies violated: the longer wait, both named',
    { policies: [burst, tokenBucket({ name: 'daily', capacity: 10, perDay: 1000 })] },
    async ({ ask }) => {
      for (let count = 0; count < 10; count += 1) await ask()
      isRefused(await ask(), 87, 0, ['burst', 'daily'])
    },
  ),
  adapterCase(
    'C10 limit and remaining are of one policy',
    {
      policies: [
        tokenBucket({ name: 'day', capacity: 100, perDay: 100 }),
        tokenBucket({ name: 'burst', capacity: 5, perMinute: 5 }),
      ],
    },
    async ({ ask }) => {
      for (let left = 4; left >= 0; left -= 1) {
        const { headers } = await ask()
        deepStrictEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['5', String(left)])
      }
      const refused = await ask()
      isRefused(refused, 12, 0, ['burst'])
      strictEqual(refused.headers['x-ratelimit-limit'], '5')
    },
  ),
  adapterCase(
    'wire 25 two limiters on one request: one list, the smaller number, with its own limit',
    () => ({
      limiters: [
        { name: 'outer', capacity: 5, perMinute: 60, ...draft },
        { name: 'inner', capacity: 3, perMinute: 60, ...draft },
        { name: 'wide', capacity: 9, perMinute: 60, ...draft },
      ],
    }),
    async ({ ask, handled }) => {
      const { headers } = await ask()
      strictEqual(headers['ratelimit-policy'], '"outer";q=5;w=5, "inner";q=3;w=3, "wide";q=9;w=9')
      strictEqual(headers['ratelimit'], '"outer";r=4;t=1, "inner";r=2;t=1, "wide";r=8;t=1')
      deepStrictEqual(
        [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['retry-after']],
        ['3', '2', undefined],
      )
      await ask()
      await ask()
      const refused = await ask()
      isRefused(refused, 1, 0, ['inner'])
      strictEqual(refused.headers['ratelimit'], '"inner";r=0;t=1')
      strictEqual(handled.length, 3)
    },
  ),
  adapterCase(
    'wire 23 no number has more digits than a structured field may have',
    { capacity: Number.MAX_SAFE_INTEGER, rate: 1, periodMs: 1, ...draft },
    async ({ ask }) => {
      const { headers } = await ask()
      strictEqual(headers['ratelimit-policy'], '"default";q=999999999999999;w=9007199254741')
      strictEqual(headers['ratelimit'], '"default";r=999999999999999;t=1')
      strictEqual(headers['x-ratelimit-remaining'], '9007199254740990')
    },
  ),
  adapterCase(
    'wire 24 C13 Retry-After stands on every refusal, whatever fields are asked for',
    { capacity: 1, perMinute: 60 },
    async ({ ask }) => {
      isAllowed(await ask(), 0)
      const refused = await ask()
      isRefused(refused, 1)
      deepStrictEqual(
        [
          refused.headers['ratelimit'],
          refused.headers['ratelimit-policy'],
          refused.headers['x-ratelimit-reset'],
        ],
        [undefined, undefined, undefined],
      )
    },
  ),
  adapterCase(
    'C07 the reset, if asked for, is in whole seconds since the epoch, when the bucket is full',
    { capacity: 10, perMinute: 10, resetHeader: 'epoch' },
    async ({ ask }) => {
      const before = Math.ceil((Date.now() + 6000) / 1000)
      const reset = Number((await ask()).headers['x-ratelimit-reset'])
      strictEqual(
        Number.isInteger(reset) && reset >= before && reset <= Math.ceil((Date.now() + 6000) / 1000),
        true,
        String(reset),
      )
    },
  ),
]

/** What stands on the wire, by the forty wire tests and the public faults of group C. */
export const wireCases: readonly AdapterCase[] = [...costs, ...policies]
