import { warningsOf } from '@tickbucket/conformance'
import type * as Adapter from '@tickbucket/hono'
import { Hono } from 'hono'
import { beforeEach, expect, test, vi } from 'vitest'

/** Loaded anew, since each warning is given once per process. */
let adapter: typeof Adapter

beforeEach(async () => {
  vi.resetModules()
  adapter = await import('@tickbucket/hono')
})

/** What each runtime gives as `c.env` for a client at an address. */
const RUNTIMES: readonly (readonly [runtime: string, env: (address: string) => object])[] = [
  ['Node', (remoteAddress) => ({ incoming: { socket: { remoteAddress } } })],
  ['Node, inside of server', (remoteAddress) => ({ server: { incoming: { socket: { remoteAddress } } } })],
  [
    'Bun',
    (address) => ({ requestIP: (request: Request) => (request instanceof Request ? { address } : null) }),
  ],
  ['Bun, inside of server', (address) => ({ server: { requestIP: () => ({ address }) } })],
  ['Deno', (hostname) => ({ remoteAddr: { transport: 'tcp', hostname, port: 4711 } })],
]

test.each(RUNTIMES)('on %s a client is the address at the other end', async (_runtime, env) => {
  const app = new Hono().use(adapter.rateLimit({ capacity: 1, perHour: 1 })).get('/', (c) => c.text('hello'))
  const statuses: number[] = []
  const warnings = await warningsOf(async () => {
    for (const address of ['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1'])
      statuses.push((await app.request('/', {}, env(address))).status)
  })
  expect([statuses, warnings]).toEqual([[200, 200, 429], []])
})

test.each([undefined, {}, { server: null }, { server: 'a name of the user' }, { requestIP: () => null }])(
  'wire 40 where the runtime tells no address (%o) all are one client, and that is told once',
  async (env) => {
    const app = new Hono()
      .use(adapter.rateLimit({ capacity: 1, perHour: 1 }))
      .get('/', (c) => c.text('hello'))
    const statuses: number[] = []
    const warnings = await warningsOf(async () => {
      for (let count = 0; count < 3; count += 1) {
        const headers = { 'cf-connecting-ip': `192.0.2.${count}` }
        statuses.push((await app.request('/', { headers }, env)).status)
      }
    })
    expect([statuses, warnings]).toEqual([[200, 429, 429], ['TICKBUCKET_NO_ADDRESS']])
  },
)

test('G10 G22 what a client says of its own address is not believed', async () => {
  const app = new Hono().use(adapter.rateLimit()).get('/', (c) => c.text('hello'))
  const env = { incoming: { socket: { remoteAddress: '192.0.2.1' } } }
  const warnings = await warningsOf(async () => {
    for (const headers of [{ 'x-forwarded-for': '198.51.100.1' }, { forwarded: 'for=198.51.100.2' }])
      await app.request('/', { headers }, env)
  })
  expect(warnings).toEqual(['TICKBUCKET_PROXY_NOT_TRUSTED'])
})

test('H14 a limiter that is made in a handler; H19 one limiter, mounted twice', async () => {
  const limit = adapter.rateLimit({ key: () => 'client' })
  const twice = new Hono().use(limit).use('/', limit)
  expect(await warningsOf(async () => void (await twice.request('/')))).toEqual(['TICKBUCKET_COUNTED_TWICE'])
  const late = new Hono().use((c, next) => adapter.rateLimit({ key: () => 'client' })(c, next))
  expect(
    await warningsOf(async () => {
      for (let count = 0; count < 12; count += 1) await late.request('/')
    }),
  ).toEqual(['TICKBUCKET_MADE_PER_REQUEST'])
})
