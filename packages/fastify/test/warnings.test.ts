import { warningsOf } from '@tickbucket/conformance'
import type * as Adapter from '@tickbucket/fastify'
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { beforeEach, expect, test, vi } from 'vitest'

/** Loaded anew, since each warning is given once per process. */
let adapter: typeof Adapter

beforeEach(async () => {
  vi.resetModules()
  adapter = await import('@tickbucket/fastify')
})

async function limited(trustProxy: FastifyServerOptions['trustProxy'] = false): Promise<FastifyInstance> {
  const app = fastify({ trustProxy })
  await app.register(adapter.rateLimit)
  return app
}

async function warned(app: FastifyInstance, headers: Record<string, string> = {}): Promise<string[]> {
  app.get('/', () => 'hello')
  return warningsOf(async () => {
    for (let count = 0; count < 12; count += 1) await app.inject({ url: '/', headers })
  })
}

const forwarded = { 'x-forwarded-for': '198.51.100.1' }

test.each([forwarded, { forwarded: 'for=198.51.100.1' }])(
  'G10 G22 %o that nobody trusts',
  async (headers) => {
    expect(await warned(await limited(), headers)).toEqual(['TICKBUCKET_PROXY_NOT_TRUSTED'])
  },
)

test.each(['loopback', ['127.0.0.0/8', '::1'], (_address: string, hop: number) => hop === 0])(
  'G11 a proxy that is trusted by %o is no mistake',
  async (trustProxy) => {
    expect(await warned(await limited(trustProxy), forwarded)).toEqual([])
  },
)

test.each([true, () => true])('G11 everybody is trusted, by %o', async (trustProxy) => {
  expect(await warned(await limited(trustProxy))).toEqual(['TICKBUCKET_EVERYBODY_TRUSTED'])
})

test('H14 a limiter that is made in a hook', async () => {
  const app = fastify()
  app.addHook('onRequest', function (request, reply, done) {
    adapter.rateLimitHook().call(this, request, reply, done)
  })
  expect(await warned(app)).toEqual(['TICKBUCKET_MADE_PER_REQUEST'])
})

test('H19 one limiter in two hooks; two registrations are no mistake', async () => {
  const twice = await limited()
  await twice.register(adapter.rateLimit)
  expect(await warned(twice)).toEqual([])
  const hook = adapter.rateLimitHook()
  const app = fastify().addHook('onRequest', hook).addHook('preHandler', hook)
  expect(await warned(app)).toEqual(['TICKBUCKET_COUNTED_TWICE'])
})
