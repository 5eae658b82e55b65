import { deepStrictEqual, rejects, strictEqual } from 'node:assert'
import { Agent } from 'node:http'
import { createLimiter, type DecisionEvent, memoryStore } from '@tickbucket/core'
import { type AdapterCase, adapterCase, isAllowed, isRefused } from './adapter-case.ts'

const one = { capacity: 1, perMinute: 60 } as const

const events: DecisionEvent<unknown>[] = []

const modes: readonly AdapterCase[] = [
  adapterCase(
    'M01 M02 a dry run refuses nothing, tells all, and says nothing of waiting',
    { capacity: 5, perMinute: 1, dryRun: true, onDecision: (event) => events.push(event) },
    async ({ ask }) => {
      events.length = 0
      for (let count = 0; count < 20; count += 1) isAllowed(await ask(), Math.max(0, 4 - count))
      strictEqual(events.filter(({ decision }) => !decision.allowed).length, 15)
      strictEqual(events.filter(({ refused }) => refused).length, 0)
    },
  ),
  adapterCase(
    'M08 every decision is told once, with key, cost and wait',
    ({ header }) => ({
      ...one,
      key: (ctx) => header(ctx, 'x-tenant') ?? null,
      onDecision: (event) => events.push(event),
    }),
    async ({ ask }) => {
      events.length = 0
      for (let count = 0; count < 2; count += 1) await ask({ headers: { 'x-tenant': 'a' } })
      await ask()
      deepStrictEqual(
        events.map(({ key, cost, refused, decision: { retryAfterMs } }) => ({
          key,
          cost,
          refused,
          retryAfterMs,
        })),
        [
          { key: 'a', cost: 1, refused: false, retryAfterMs: 0 },
          { key: 'a', cost: 1, refused: true, retryAfterMs: 1000 },
        ],
      )
    },
  ),
  ...[
    [
      'throws',
      () => {
        throw new Error('listener')
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
  ].map(([how, onDecision]) =>
    adapterCase(
      `M08 a listener that ${String(how)} breaks nothing`,
      { ...one, onDecision: onDecision as () => unknown },
      async ({ status }) => {
        deepStrictEqual([await status(), await status()], [200, 429])
      },
    ),
  ),
  adapterCase('the handler behind finds the decision', one, async ({ ask, handled }) => {
    await ask()
    const { decision } = handled[0]!
    deepStrictEqual([decision?.allowed, decision?.remaining, decision?.source], [true, 0, 'store'])
  }),
  adapterCase(
    'a limiter may be shared with what is no HTTP',
    ({ clock }) => ({
      limiter: createLimiter({ ...one, store: memoryStore({ clock }), policies: undefined }),
    }),
    async ({ ask }) => {
      isAllowed(await ask(), 0)
      isRefused(await ask(), 1)
    },
  ),
]

const flow: readonly AdapterCase[] = [
  adapterCase(
    'H05 what is not found is counted like all else',
    { capacity: 5, perMinute: 1 },
    async ({ status }) => {
      const statuses: number[] = []
      for (let count = 0; count < 6; count += 1) statuses.push(await status({ path: '/missing' }))
      deepStrictEqual(statuses, [404, 404, 404, 404, 404, 429])
    },
  ),
  adapterCase(
    'C11 H11 the fields survive the error of a handler, and a refusal is no error',
    { capacity: 1, perMinute: 60 },
    async ({ ask }) => {
      const { status, body, headers } = await ask({ path: '/throw' })
      deepStrictEqual(
        [
          status,
          body,
          headers['x-ratelimit-limit'],
          headers['x-ratelimit-remaining'],
          headers['retry-after'],
        ],
        [500, 'thrown', '1', '0', undefined],
      )
      isRefused(await ask({ path: '/throw' }), 1)
    },
  ),
  adapterCase(
    'a refused response that has begun is told nothing more, and cut off',
    { capacity: 1, perHour: 1, rateLimitHeaders: 'draft-11', resetHeader: 'epoch' },
    async ({ ask, handled, failed }) => {
      await ask()
      await rejects(ask({ path: '/begun' }), { code: 'ECONNRESET' })
      strictEqual(handled.length, 1)
      deepStrictEqual(failed, [])
    },
    { begin: true },
  ),
  adapterCase(
    'G16 however the path is spelt, it is the client that is counted',
    { capacity: 1, perHour: 1 },
    async ({ status }) => {
      strictEqual(await status({ path: '/login' }), 200)
      for (const path of ['/login?x=1', '/login/', '//login', '/%6cogin', '/LOGIN', '/./login'])
        strictEqual(await status({ path }), 429, path)
    },
  ),
  adapterCase(
    'wire 31 64 MiB that are refused: the answer comes whole, and the connection stays usable',
    { capacity: 1, perHour: 1 },
    async ({ ask, status }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      strictEqual(await status({ agent, method: 'POST', path: '/echo', body: Buffer.from('small') }), 200)
      isRefused(await ask({ agent, method: 'POST', path: '/echo', body: Buffer.alloc(64 * 2 ** 20) }), 3600)
      isRefused(await ask({ agent }), 3600)
      agent.destroy()
    },
  ),
  adapterCase('a body that is let through arrives whole', { capacity: 1, perHour: 1 }, async ({ ask }) => {
    const body = Buffer.alloc(300_000, 'x')
    strictEqual((await ask({ method: 'POST', path: '/echo', body })).body.length, 300_000)
  }),
  adapterCase(
    'H25 thirty at once on one connection: the limit is per request',
    { capacity: 10, perHour: 1 },
    async ({ status }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const statuses = await Promise.all(Array.from({ length: 30 }, () => status({ agent })))
      strictEqual(statuses.filter((one) => one === 200).length, 10)
      const others = await Promise.all(Array.from({ length: 30 }, () => status({ from: '127.0.0.9' })))
      strictEqual(others.filter((one) => one === 200).length, 10)
      agent.destroy()
    },
  ),
]

/** Modes, events, and the framework's own paths around a limiter. */
export const flowCases: readonly AdapterCase[] = [...modes, ...flow]
