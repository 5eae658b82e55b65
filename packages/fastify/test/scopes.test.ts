import { manualClock, warningsOf } from '@tickbucket/conformance'
import { memoryStore, TickbucketError, tokenBucket } from '@tickbucket/core'
import plugin, { rateLimit, rateLimitHook } from '@tickbucket/fastify'
import fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { expect, test } from 'vitest'

function by(tenant: string): InjectOptions {
  return { url: '/', headers: { 'x-tenant': tenant } }
}

function head(url: string): InjectOptions {
  return { method: 'HEAD', url }
}

function post(url: string, body?: object): InjectOptions {
  return { method: 'POST', url, ...(body && { payload: body }) }
}

const frozen = () => ({ store: memoryStore({ clock: manualClock() }) })

/** `[status, X-RateLimit-Remaining]` of each request in turn. */
async function counted(
  app: FastifyInstance,
  ...requests: readonly (string | InjectOptions)[]
): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const request of requests) {
    const { statusCode, headers } = await app.inject(request)
    seen.push([statusCode, headers['x-ratelimit-remaining']])
  }
  return seen
}

test('the plugin is the default export, too', () => {
  expect(plugin).toBe(rateLimit)
})

test('a wrong option fails the registration', async () => {
  const app = fastify()
  app.register(rateLimit, { capacity: 5, perMinite: 5 } as never)
  await expect(app.ready()).rejects.toThrow(TickbucketError)
  await expect(
    fastify().register(rateLimit, { capacity: Number.NaN, perMinute: 5 }).ready(),
  ).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

test('H08 a route’s own limit takes the place of the plugin’s, and its buckets are its own', async () => {
  const app = fastify()
  await app.register(rateLimit, { capacity: 10, perMinute: 10, ...frozen() })
  app.get('/', () => 'hello')
  app.get('/strict', { config: { rateLimit: { capacity: 3, perMinute: 3 } } }, () => 'hello')
  app.get('/other', { config: { rateLimit: { capacity: 3, perMinute: 3 } } }, () => 'hello')
  app.get('/free', { config: { rateLimit: false } }, () => 'hello')
  expect(await counted(app, '/', '/strict', '/strict', '/strict', '/strict', '/other', '/free', '/')).toEqual(
    [
      [200, '9'],
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
      [200, '2'],
      [200, undefined],
      [200, '8'],
    ],
  )
})

test('H08 a route that was added before the plugin has its own limit, too, and nothing warns', async () => {
  const app = fastify()
  for (const path of ['/a', '/b', '/c'])
    app.get(path, { config: { rateLimit: { capacity: 2, perMinute: 2 } } }, () => 'hello')
  app.get('/free', { config: { rateLimit: false } }, () => 'hello')
  await app.register(rateLimit, { capacity: 10, perMinute: 10, ...frozen() })
  const warnings = await warningsOf(async () => {
    expect(await counted(app, '/a', '/b', '/c', '/a', '/a', '/free')).toEqual([
      [200, '1'],
      [200, '1'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
      [200, undefined],
    ])
  })
  expect(warnings).toEqual([])
})

test('H08 two versions of a route, and a HEAD route of one’s own, have limits of their own', async () => {
  const limit = { capacity: 1, perMinute: 1 }
  const version = (version: string) => ({ url: '/v', headers: { 'accept-version': version } })
  const expected = [
    [200, '0'],
    [429, '0'],
    [200, '0'],
    [429, '0'],
    [200, '0'],
    [429, '0'],
    [200, '8'],
    [200, '0'],
  ]
  for (const given of [() => limit, () => ({ ...limit })]) {
    const app = fastify()
    await app.register(rateLimit, frozen())
    for (const name of ['1.0.0', '2.0.0'])
      app.get('/v', { constraints: { version: name }, config: { rateLimit: given() } }, () => 'hello')
    app.get('/v', { config: { rateLimit: given() } }, () => 'hello')
    app.head('/h', { config: { rateLimit: { capacity: 9, perMinute: 9 } } }, () => '')
    app.get('/h', { config: { rateLimit: given() } }, () => 'hello')
    const requests = ['1.0.0', '1.0.0', '2.0.0', '2.0.0'].map(version)
    expect(await counted(app, ...requests, '/v', '/v', head('/h'), '/h')).toEqual(expected)
  }
})

test('H08 routes that only differ in their constraints cannot be told apart before the plugin, which is told', async () => {
  const app = fastify()
  const failed: unknown[] = []
  app.setErrorHandler((error, _request, reply) => {
    failed.push((error as { code?: string }).code)
    return reply.code(500).send()
  })
  for (const name of ['1.0.0', '2.0.0'])
    app.get(
      '/v',
      { constraints: { version: name }, config: { rateLimit: { capacity: 1, perMinute: 1 } } },
      () => 'hello',
    )
  await app.register(rateLimit, frozen())
  const statuses: number[] = []
  for (const version of ['1.0.0', '2.0.0'])
    statuses.push((await app.inject({ url: '/v', headers: { 'accept-version': version } })).statusCode)
  expect([statuses, failed]).toEqual([[200, 500], ['POLICY_CONFLICT']])
})

test('a hook that is none fails the registration', async () => {
  const app = fastify().register(rateLimit, { hook: 'onSend' as 'onRequest' })
  await expect(app.ready()).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'hook' })
})

test('what an async onRefused gives is the answer, as of any handler', async () => {
  const app = fastify()
  await app.register(rateLimit, { capacity: 1, perMinute: 60, onRefused: async () => ({ calm: 'down' }) })
  app.get('/', () => 'hello')
  await app.inject('/')
  const { statusCode, headers, body } = await app.inject('/')
  expect([statusCode, headers['retry-after'], body]).toEqual([429, '1', '{"calm":"down"}'])
})

test('H07 a route’s limit is checked like the plugin’s', async () => {
  const app = fastify()
  await app.register(rateLimit)
  const wrong = { rateLimit: { capacity: 3, perMinute: '1 minute' as never } }
  expect(() => app.get('/', { config: wrong }, () => 'hello')).toThrow(TickbucketError)
})

test('a route lists both limits where both shall hold', async () => {
  const app = fastify()
  const all = tokenBucket({ name: 'all', capacity: 5, perMinute: 5 })
  const login = tokenBucket({ name: 'login', capacity: 2, perMinute: 2 })
  await app.register(rateLimit, { policies: [all], ...frozen() })
  app.get('/', () => 'hello')
  app.get('/login', { config: { rateLimit: { policies: [all, login] } } }, () => 'hello')
  expect(await counted(app, '/login', '/login', '/login', '/', '/', '/', '/')).toEqual([
    [200, '1'],
    [200, '0'],
    [429, '0'],
    [200, '2'],
    [200, '1'],
    [200, '0'],
    [429, '0'],
  ])
})

test('a route keeps the plugin’s other options: key, store, fields', async () => {
  const app = fastify()
  await app.register(rateLimit, {
    ...frozen(),
    key: (request) => String(request.headers['x-tenant']),
    rateLimitHeaders: 'draft-11',
  })
  app.get('/', { config: { rateLimit: { name: 'own', capacity: 1, perMinute: 1 } } }, () => 'hello')
  expect(await counted(app, by('a'), by('b'), by('a'))).toEqual([
    [200, '0'],
    [200, '0'],
    [429, '0'],
  ])
  expect((await app.inject(by('c'))).headers['ratelimit']).toBe('"own";r=0;t=60')
})

test('H01 the HEAD route that Fastify makes of a GET route counts with it, once', async () => {
  const app = fastify({ exposeHeadRoutes: true })
  await app.register(rateLimit, { capacity: 120, perMinute: 1, ...frozen() })
  app.get('/', () => 'hello')
  app.get('/own', { config: { rateLimit: { capacity: 5, perMinute: 1 } } }, () => 'hello')
  expect(await counted(app, '/', '/', head('/'))).toEqual([
    [200, '119'],
    [200, '118'],
    [200, '117'],
  ])
  expect(await counted(app, '/own', '/own', head('/own'))).toEqual([
    [200, '4'],
    [200, '3'],
    [200, '2'],
  ])
})

test('H02 a prefixed route is one route, with and without its slash, and each request costs one', async () => {
  const app = fastify()
  await app.register(
    async (scope) => {
      await scope.register(rateLimit, { capacity: 9, perMinute: 1, ...frozen() })
      scope.post('/', () => 'hello')
      scope.get('/', { config: { rateLimit: { capacity: 5, perMinute: 1 } } }, () => 'hello')
    },
    { prefix: '/resource' },
  )
  expect(await counted(app, post('/resource'), post('/resource/'))).toEqual([
    [200, '8'],
    [200, '7'],
  ])
  expect(await counted(app, '/resource', '/resource/')).toEqual([
    [200, '4'],
    [200, '3'],
  ])
})

test('G17 a route with a parameter has one bucket for all of its values', async () => {
  const app = fastify()
  await app.register(rateLimit, frozen())
  app.get('/item/:id', { config: { rateLimit: { capacity: 3, perMinute: 1 } } }, () => 'hello')
  const statuses = (await counted(app, ...Array.from({ length: 10 }, (_, id) => `/item/${id}`))).map(
    (seen) => (seen as [number])[0],
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
})

test('H04 nested registrations both apply, and a scope limits nothing outside', async () => {
  const app = fastify()
  await app.register(rateLimit, { name: 'outer', capacity: 5, perMinute: 1, ...frozen() })
  app.get('/', () => 'hello')
  await app.register(async (scope) => {
    await scope.register(rateLimit, {
      name: 'inner',
      capacity: 2,
      perMinute: 1,
      rateLimitHeaders: 'draft-11',
      ...frozen(),
    })
    scope.get('/inner', () => 'hello')
  })
  expect(await counted(app, '/inner', '/inner', '/inner', '/', '/')).toEqual([
    [200, '1'],
    [200, '0'],
    [429, '0'],
    [200, '1'],
    [200, '0'],
  ])
  const alone = fastify()
  await alone.register(async (scope) => {
    await scope.register(rateLimit, { capacity: 1, perMinute: 1 })
    scope.get('/in', () => 'hello')
  })
  alone.get('/out', () => 'hello')
  expect(await counted(alone, '/in', '/out', '/in')).toEqual([
    [200, '0'],
    [200, undefined],
    [429, '0'],
  ])
})

test('a route’s own limit below two plugins is counted once, with the nearer one’s options', async () => {
  const app = fastify()
  const outer = memoryStore({ clock: manualClock() })
  const inner = memoryStore({ clock: manualClock() })
  await app.register(rateLimit, { store: outer })
  await app.register(async (scope) => {
    await scope.register(rateLimit, { store: inner })
    scope.get('/', { config: { rateLimit: { capacity: 3, perMinute: 1 } } }, () => 'hello')
  })
  expect(await counted(app, '/', '/')).toEqual([
    [200, '2'],
    [200, '1'],
  ])
  expect([outer.stats().clients, inner.stats().clients]).toEqual([0, 1])
})

test('H05 what is not found is limited with everything else, or by a hook of its own', async () => {
  const app = fastify()
  await app.register(rateLimit, { capacity: 5, perMinute: 1 })
  const missing = Array.from({ length: 6 }, () => '/missing')
  expect((await counted(app, ...missing)).map((seen) => (seen as [number])[0])).toEqual([
    404, 404, 404, 404, 404, 429,
  ])
  const own = fastify()
  own.setNotFoundHandler({ preHandler: rateLimitHook({ capacity: 1, perMinute: 1 }) }, (_request, reply) =>
    reply.code(404).send('no'),
  )
  own.get('/', () => 'hello')
  expect(await counted(own, '/missing', '/', '/missing')).toEqual([
    [404, '0'],
    [200, undefined],
    [429, '0'],
  ])
})

test.each(['onRequest', 'preValidation', 'preHandler'] as const)(
  'requests are counted in %s, if told so',
  async (hook) => {
    const app = fastify()
    await app.register(rateLimit, {
      hook,
      capacity: 1,
      perMinute: 1,
      key: (request) => JSON.stringify(request.body ?? null),
    })
    app.post('/', (request) => ({ left: request.rateLimit?.remaining }))
    const readsBody = hook !== 'onRequest'
    expect(await counted(app, post('/', { a: 1 }), post('/', { a: 2 }))).toEqual([
      [200, '0'],
      readsBody ? [200, '0'] : [429, '0'],
    ])
  },
)

test('the decision is typed, and there for the handler', async () => {
  const app = fastify()
  await app.register(rateLimit, { capacity: 3, perMinute: 1 })
  app.get('/', (request) => ({ left: request.rateLimit?.remaining, allowed: request.rateLimit?.allowed }))
  expect((await app.inject('/')).json()).toEqual({ left: 2, allowed: true })
})

test('H09 a hook for where no plugin reaches, on a server of HTTP/2 as well', async () => {
  const app = fastify({ http2: true })
  const limit = { capacity: 1, perMinute: 60, key: () => 'client' }
  app.setNotFoundHandler({ preHandler: rateLimitHook(limit) }, (_request, reply) => reply.code(404).send())
  app.get('/', { onRequest: rateLimitHook({ ...limit, key: (request) => request.hostname }) }, () => 'hello')
  const statuses: number[] = []
  for (const url of ['/nowhere', '/nowhere', '/', '/']) statuses.push((await app.inject({ url })).statusCode)
  expect(statuses).toEqual([404, 429, 200, 429])
})
