import { deepStrictEqual, strictEqual } from 'node:assert'
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { leakyBucket, tokenBucket } from '@tickbucket/core'
import { type AdapterCase, adapterCase, type AnyOptions, isRefused } from './adapter-case.ts'

const decided = new EventEmitter()

/** An hour for each token: whoever waited for it would never answer. */
const slow: AnyOptions = { policies: [leakyBucket({ queue: 3, perHour: 1 })] }
const hour = [leakyBucket({ name: 'slow', queue: 3, perHour: 1 })]
const fast: AnyOptions = { policies: [leakyBucket({ queue: 4, perSecond: 50 })] }

/** Requests that a leaky bucket delays, and that are really delayed. Frozen clock, real waits of a few milliseconds. */
export const pacingCases: readonly AdapterCase[] = [
  adapterCase('what is delayed goes on in order, and none is lost', fast, async ({ status, handled }) => {
    const statuses = await Promise.all(Array.from({ length: 6 }, () => status()))
    deepStrictEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 200, 200, 200, 200, 429],
    )
    deepStrictEqual(
      handled.map(({ decision }) => decision?.delayMs),
      [0, 20, 40, 60, 80],
    )
  }),
  adapterCase(
    'nobody waits for another client',
    ({ header }) => ({ ...fast, key: (ctx) => header(ctx, 'x-tenant') ?? null }),
    async ({ ask, handled }) => {
      const tenants = ['a', 'b', 'a', 'b', 'c']
      await Promise.all(tenants.map((tenant) => ask({ headers: { 'x-tenant': tenant } })))
      const delays = handled.map(({ decision }) => decision?.delayMs ?? -1)
      deepStrictEqual(
        delays.toSorted((a, b) => a - b),
        [0, 0, 0, 20, 20],
      )
    },
  ),
  adapterCase(
    'a request that no leaky bucket decides waits for none that one delays',
    ({ header }) => ({
      policies: (ctx) =>
        header(ctx, 'x-slow') === undefined ? [tokenBucket({ name: 'all', capacity: 9, perHour: 1 })] : hour,
      onDecision: () => decided.emit('decision'),
    }),
    async ({ ask, port, status }) => {
      const headers = { 'x-slow': 'yes' }
      await ask({ headers })
      const waiting = request({ port, host: '127.0.0.1', headers })
      waiting.on('error', () => undefined)
      waiting.end()
      await once(decided, 'decision')
      strictEqual(await status(), 200)
      waiting.destroy()
    },
  ),
  adapterCase(
    'a client that goes away while it waits never reaches the handler, and those behind it do',
    {
      policies: [leakyBucket({ queue: 4, perSecond: 5 })],
      onDecision: () => decided.emit('decision'),
    },
    async ({ ask, handled, port }) => {
      await ask()
      const gone = request({ port, host: '127.0.0.1', path: '/gone' })
      const closed = new Promise((resolve) => gone.once('close', resolve))
      gone.on('error', () => undefined)
      gone.end()
      await once(decided, 'decision')
      gone.destroy()
      await closed
      await ask({ path: '/behind' })
      deepStrictEqual(
        handled.map(({ path, decision }) => [path, decision?.delayMs]),
        [
          ['/', 0],
          ['/behind', 400],
        ],
      )
    },
  ),
  adapterCase(
    'a dry run tells of the delay, and waits for nothing',
    { ...slow, dryRun: true },
    async (site) => {
      deepStrictEqual([await site.status(), await site.status()], [200, 200])
      strictEqual(site.handled[1]?.decision?.delayMs, 3_600_000)
    },
  ),
  adapterCase('what takes nothing waits for nothing', { ...slow, cost: 0 }, async ({ status, handled }) => {
    deepStrictEqual([await status(), await status()], [200, 200])
    strictEqual(handled[1]?.decision?.delayMs, 0)
  }),
  adapterCase(
    'as many as may come without delay come without delay, and one more than the queue is refused',
    { policies: [leakyBucket({ queue: 2, after: 2, perHour: 1 })] },
    async ({ status, ask }) => {
      deepStrictEqual([await status(), await status(), await status()], [200, 200, 200])
      isRefused(await ask(), 3600)
    },
  ),
  adapterCase(
    'what another policy refuses takes no place in the queue',
    {
      policies: [
        leakyBucket({ name: 'paced', queue: 3, perSecond: 50 }),
        tokenBucket({ name: 'daily', capacity: 2, perDay: 1 }),
      ],
    },
    async ({ status, handled }) => {
      deepStrictEqual([await status(), await status(), await status(), await status()], [200, 200, 429, 429])
      deepStrictEqual(
        handled.map(({ decision }) => decision?.delayMs),
        [0, 20],
      )
    },
  ),
]
