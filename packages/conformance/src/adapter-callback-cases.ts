import { deepStrictEqual, strictEqual } from 'node:assert'
import { tokenBucket } from '@tickbucket/core'
import { type AdapterCase, adapterCase, type AnyOptions } from './adapter-case.ts'

const one = { capacity: 1, perMinute: 60 } as const

/** What becomes of what the user's own callbacks give, throw, or reject with. */
export const callbackCases: readonly AdapterCase[] = [
  ...(['key', 'cost', 'policies'] as const).flatMap((name) =>
    [
      [
        'throws',
        () => {
          throw new Error(`no ${name}`)
        },
      ],
      ['rejects', () => Promise.reject(new Error(`no ${name}`))],
    ].map(([how, callback]) =>
      adapterCase(
        `H13 a ${name} callback that ${String(how)} reaches the framework's error handling, once`,
        { [name]: callback },
        async ({ ask, handled, failed }) => {
          const { status, body, headers } = await ask()
          deepStrictEqual(
            [status, body, headers['x-ratelimit-limit'], handled],
            [500, `no ${name}`, undefined, []],
          )
          deepStrictEqual(failed.map(String), [`Error: no ${name}`])
        },
      ),
    ),
  ),
  ...[undefined, null, false, 0, '', 'route', 'router'].map((reason) =>
    adapterCase(
      `H13 a callback that fails with ${JSON.stringify(reason) ?? 'undefined'} opens no door`,
      ({ header }) => ({
        ...one,
        key(ctx) {
          // eslint-disable-next-line no-throw-literal -- what is thrown here is what a user's code may throw
          if (header(ctx, 'how') === 'now') throw reason
          return header(ctx, 'how') === 'later' ? Promise.reject(reason) : 'client'
        },
        onRefused: () => Promise.reject(reason),
      }),
      async ({ status, handled }) => {
        deepStrictEqual(
          [await status({ headers: { how: 'now' } }), await status({ headers: { how: 'later' } })],
          [500, 500],
        )
        deepStrictEqual([await status(), await status()], [200, 500])
        strictEqual(handled.length, 1)
      },
    ),
  ),
  ...[undefined, {}, 7, Symbol('a'), Promise.resolve(undefined)].map((key, index) =>
    adapterCase(
      `G19 H17 a key callback that gives no string is an error and no shared bucket (${index})`,
      { key: (() => key) as unknown as NonNullable<AnyOptions['key']> },
      async ({ ask, handled }) => {
        const { status, body } = await ask()
        deepStrictEqual([status, /INVALID_KEY/.test(body), handled], [500, true, []])
      },
    ),
  ),
  ...[-1, 1.5, Number.NaN, '1', undefined].map((cost) =>
    adapterCase(
      `A16 a cost callback that gives ${String(cost)} is an error and takes nothing`,
      { cost: (() => cost) as unknown as NonNullable<AnyOptions['cost']> },
      async ({ ask, handled }) => {
        const { status, body } = await ask()
        deepStrictEqual([status, /INVALID_COST/.test(body), handled], [500, true, []])
      },
    ),
  ),
  adapterCase(
    'callbacks may answer later',
    ({ header }) => ({
      key: async (ctx) => header(ctx, 'x-tenant') ?? null,
      cost: async (ctx) => Number(header(ctx, 'cost') ?? 1),
      policies: async (ctx) =>
        header(ctx, 'x-tenant') === 'rich'
          ? [tokenBucket({ name: 'rich', capacity: 10, perMinute: 1 })]
          : [tokenBucket({ name: 'poor', capacity: 2, perMinute: 1 })],
    }),
    async ({ counted }) => {
      const by = (tenant: string, cost: string): Promise<[number, string | undefined]> =>
        counted({ headers: { 'x-tenant': tenant, cost } })
      deepStrictEqual(
        [await by('rich', '3'), await by('poor', '2'), await by('poor', '1'), await by('rich', '7')],
        [
          [200, '7'],
          [200, '0'],
          [429, '0'],
          [200, '0'],
        ],
      )
    },
  ),
  adapterCase(
    'a key of null: not limited, not counted, no field',
    ({ header }) => ({ ...one, key: (ctx) => header(ctx, 'x-tenant') ?? null }),
    async ({ ask, handled }) => {
      for (let count = 0; count < 3; count += 1)
        strictEqual((await ask()).headers['x-ratelimit-limit'], undefined)
      deepStrictEqual(
        handled,
        Array.from({ length: 3 }, () => ({ path: '/', decision: undefined })),
      )
    },
  ),
  adapterCase(
    'G14 the key that was chosen is the one that counts',
    ({ header }) => ({ ...one, key: (ctx) => header(ctx, 'x-tenant') ?? null }),
    async ({ status }) => {
      const by = (tenant: string): Promise<number> => status({ headers: { 'x-tenant': tenant } })
      deepStrictEqual([await by('a'), await by('a'), await by('b')], [200, 429, 200])
    },
  ),
  adapterCase(
    'onRefused answers in its own words, with our fields and, unless it says otherwise, our status',
    ({ answer }) => ({
      ...one,
      onRefused: async (ctx, { retryAfterMs }, response) =>
        answer(ctx, response, 420, `calm for ${retryAfterMs}`),
    }),
    async ({ ask, handled }) => {
      await ask()
      const { status, body, headers } = await ask()
      deepStrictEqual(
        [status, body, headers['retry-after'], headers['x-ratelimit-remaining'], headers['cache-control']],
        [420, 'calm for 1000', '1', '0', 'no-store'],
      )
      strictEqual(handled.length, 1)
    },
  ),
  adapterCase(
    'an onRefused that fails reaches the framework’s error handling, with our fields',
    { ...one, onRefused: () => Promise.reject(new Error('no words')) },
    async ({ ask, handled, failed }) => {
      await ask()
      const { status, body, headers } = await ask()
      deepStrictEqual([status, body, handled.length], [500, 'no words', 1])
      deepStrictEqual(
        [headers['retry-after'], headers['x-ratelimit-remaining'], headers['cache-control']],
        ['1', '0', 'no-store'],
      )
      deepStrictEqual(failed.map(String), ['Error: no words'])
    },
  ),
]
