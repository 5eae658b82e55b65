import { serve } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/koa'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { describe, expect, test } from 'vitest'

test.each([
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
])('%s: a response under way is left to whoever began it', async (_version, Koa) => {
  const handled: string[] = []
  const app = new Koa()
  app.use(async (ctx, next) => {
    ctx.respond = false
    ctx.res.writeHead(200, { 'content-type': 'text/event-stream' })
    ctx.res.write('begun, ')
    await next()
    ctx.res.end('ended')
  })
  app.use(rateLimit({ capacity: 1, perHour: 1 }))
  app.use((ctx) => void handled.push(ctx.path))
  const { port, close } = await serve(app.callback())
  for (let count = 0; count < 2; count += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([
      200,
      'begun, ended',
      null,
    ])
  }
  expect(handled).toEqual(['/'])
  await close()
})

const shared = Object.assign(new Error('shared'), { status: 418 })
const withGetter = Object.defineProperty(new Error('getter'), 'headers', {
  get: () => ({ 'X-RateLimit-Remaining': '999', 'X-Of-The-Error': 'yes' }),
})

describe.each([
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
])('%s', (_version, Koa) => {
  test.each([
    [shared, 418, null],
    [withGetter, 500, 'yes'],
  ])('H11 an error is answered with our fields and left as it is: %s', async (error, status, own) => {
    const failed: unknown[] = []
    const app = new Koa()
    app.on('error', (seen) => failed.push(seen))
    app.use(rateLimit({ capacity: 2, perHour: 1 }))
    app.use((ctx) => {
      if (ctx.path === '/plain') return ctx.throw(404)
      throw error
    })
    const { port, close } = await serve(app.callback())
    const seen: unknown[] = []
    for (const path of ['/', '/', '/plain']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      seen.push([
        response.status,
        response.headers.get('x-ratelimit-remaining'),
        response.headers.get('x-of-the-error'),
      ])
    }
    await close()
    expect(seen).toEqual([
      [status, '1', own],
      [status, '0', own],
      [429, '0', null],
    ])
    expect(failed).toEqual([error, error])
    expect(Object.keys(shared)).toEqual(['status'])
  })

  test('H11 of two limiters in front of an error both are told, the tighter one of them', async () => {
    const app = new Koa({}).on('error', () => undefined)
    for (const [name, capacity] of [
      ['wide', 9],
      ['tight', 5],
      ['middle', 7],
    ] as const)
      app.use(rateLimit({ name, capacity, perHour: 1, rateLimitHeaders: 'draft-11' }))
    app.use(() => {
      throw new Error('thrown')
    })
    const { port, close } = await serve(app.callback())
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/`)
    await close()
    expect([status, headers.get('x-ratelimit-limit'), headers.get('ratelimit')]).toEqual([
      500,
      '5',
      '"wide";r=8;t=3600, "tight";r=4;t=3600, "middle";r=6;t=3600',
    ])
  })
})
