import { rateLimit } from '@tickbucket/hono'
import { Hono } from 'hono'
import { expect, test } from 'vitest'

const key = (): string => 'client'
const NAMES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'ratelimit', 'retry-after', 'cache-control']

async function asked(app: Hono, count: number): Promise<unknown[][]> {
  const seen: unknown[][] = []
  for (let at = 0; at < count; at += 1) {
    const { status, headers } = await app.request('/')
    seen.push([status, ...NAMES.map((name) => headers.get(name))])
  }
  return seen
}

test.each([
  ['a Response of its own', () => new Response('calm', { status: 420 })],
  ['one with a field of its own', () => new Response('calm', { status: 420, headers: { 'X-Own': '1' } })],
  ['a promise of one', async () => new Response('calm', { status: 420 })],
])('an onRefused that gives %s has our fields', async (_what, onRefused) => {
  const app = new Hono()
    .use(rateLimit({ capacity: 1, perMinute: 60, key, onRefused, rateLimitHeaders: 'draft-11' }))
    .get('/', (c) => c.text('hello'))
  expect((await asked(app, 2))[1]).toEqual([420, '1', '0', '"default";r=0;t=1', '1', 'no-store'])
})

test('what an onRefused says of its own wins', async () => {
  const app = new Hono()
    .use(
      rateLimit({
        capacity: 1,
        perMinute: 60,
        key,
        onRefused: (c) => c.text('calm', 420 as 429, { 'Retry-After': '30' }),
      }),
    )
    .get('/', (c) => c.text('hello'))
  expect((await asked(app, 2))[1]).toEqual([420, '1', '0', null, '30', 'no-store'])
})

test('an onRefused that gives nothing is a 429 without a body', async () => {
  const app = new Hono()
    .use(rateLimit({ capacity: 1, perMinute: 60, key, onRefused: () => undefined }))
    .get('/', (c) => c.text('hello'))
  expect((await asked(app, 2))[1]).toEqual([429, '1', '0', null, '1', 'no-store'])
})

test('a Response from another server, which has limits too: ours are told, in whole', async () => {
  const app = new Hono()
    .use(rateLimit({ name: 'wide', capacity: 9, perHour: 1, key, rateLimitHeaders: 'draft-11' }))
    .use(rateLimit({ name: 'tight', capacity: 5, perHour: 1, key, rateLimitHeaders: 'draft-11' }))
    .use(rateLimit({ name: 'middle', capacity: 7, perHour: 1, key, rateLimitHeaders: 'draft-11' }))
    .get(
      '/',
      () => new Response('hello', { headers: { 'X-RateLimit-Limit': '600', 'X-RateLimit-Remaining': '0' } }),
    )
  expect(await asked(app, 1)).toEqual([
    [200, '5', '4', '"wide";r=8;t=3600, "tight";r=4;t=3600, "middle";r=6;t=3600', null, null],
  ])
})
