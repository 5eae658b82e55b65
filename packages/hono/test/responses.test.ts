import { rateLimit } from '@tickbucket/hono'
import { type Context, Hono } from 'hono'
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

const three = (['wide', 'tight', 'middle'] as const).map((name, index) =>
  rateLimit({ name, capacity: [9, 5, 7][index]!, perHour: 1, key, rateLimitHeaders: 'draft-11' }),
)

function upstream(left: number): () => Response {
  return () =>
    new Response('hello', { headers: { 'X-RateLimit-Limit': '600', 'X-RateLimit-Remaining': `${left}` } })
}

test('a Response from another server, which has limits too: ours are told in whole', async () => {
  const app = new Hono().use(...three).get('/', upstream(599))
  expect(await asked(app, 1)).toEqual([
    [200, '5', '4', '"wide";r=8;t=3600, "tight";r=4;t=3600, "middle";r=6;t=3600', null, null],
  ])
})

test.each([
  [599, '5', '4'],
  [4, '5', '4'],
  [2, '600', '2'],
])('of theirs with %i left and ours what is tighter is told', async (left, limit, remaining) => {
  const app = new Hono().use(rateLimit({ capacity: 5, perHour: 1, key })).get('/', upstream(left))
  expect(await asked(app, 1)).toEqual([[200, limit, remaining, null, null, null]])
})

test('an app behind that has a limiter of its own, and knows nothing of ours', async () => {
  const inner = new Hono()
    .use(rateLimit({ name: 'inner', capacity: 1, perHour: 1, key, rateLimitHeaders: 'draft-11' }))
    .get('/', (c) => c.text('hello'))
  const app = new Hono()
    .use(rateLimit({ name: 'outer', capacity: 100, perHour: 1, key, rateLimitHeaders: 'draft-11' }))
    .get('/', (c) => inner.fetch(c.req.raw))
  expect(await asked(app, 2)).toEqual([
    [200, '1', '0', '"outer";r=99;t=3600, "inner";r=0;t=3600', null, null],
    [429, '1', '0', '"inner";r=0;t=3600', '3600', 'no-store'],
  ])
})

test('a limiter whose store is gone hides nothing of one that has decided', async () => {
  const gone = { take: () => Promise.reject(new Error('gone')), reset: () => undefined }
  const app = new Hono()
    .use(rateLimit({ capacity: 5, perHour: 1, key }))
    .use(rateLimit({ capacity: 9, perHour: 1, key, store: gone, onStoreError: 'allow' }))
    .get('/', upstream(599))
  expect(await asked(app, 1)).toEqual([[200, '5', '4', null, null, null]])
})

test.each([
  ['an answer of its own', (c: Context) => c.text('failed', 500)],
  ['a Response', () => new Response('failed', { status: 500 })],
])('an onRefused that fails keeps our fields where the error handler gives %s', async (_what, onError) => {
  const app = new Hono()
    .use(
      rateLimit({
        capacity: 1,
        perMinute: 60,
        key,
        onRefused() {
          throw new Error('no words')
        },
      }),
    )
    .get('/', (c) => c.text('hello'))
    .onError((_error, c) => onError(c))
  expect((await asked(app, 2))[1]).toEqual([500, '1', '0', null, '1', 'no-store'])
})
