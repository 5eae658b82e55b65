import { serve, warningsOf } from '@tickbucket/conformance'
import type * as Adapter from '@tickbucket/koa'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { beforeEach, describe, expect, test, vi } from 'vitest'

/** Loaded anew, since each warning is given once per process. */
let adapter: typeof Adapter

beforeEach(async () => {
  vi.resetModules()
  adapter = await import('@tickbucket/koa')
})

async function warned(app: Koa3, headers: Record<string, string> = {}): Promise<string[]> {
  app.use((ctx) => void (ctx.body = 'hello'))
  return warningsOf(async () => {
    const { port, close } = await serve(app.callback())
    for (let count = 0; count < 12; count += 1) await fetch(`http://127.0.0.1:${port}/`, { headers })
    await close()
  })
}

const forwarded = { 'x-forwarded-for': '198.51.100.1' }

describe.each([
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
])('%s', (_version, Koa) => {
  test.each([forwarded, { forwarded: 'for=198.51.100.1' }])(
    'G10 G22 %o that nobody trusts',
    async (headers) => {
      const app = new Koa().use(adapter.rateLimit())
      expect(await warned(app, headers)).toEqual(['TICKBUCKET_PROXY_NOT_TRUSTED'])
    },
  )

  test('G11 a number of proxies that are trusted is no mistake', async () => {
    const app = new Koa({ proxy: true, maxIpsCount: 1 }).use(adapter.rateLimit())
    expect(await warned(app, forwarded)).toEqual([])
  })

  test('G11 everybody is trusted', async () => {
    const app = new Koa({ proxy: true }).use(adapter.rateLimit())
    expect(await warned(app)).toEqual(['TICKBUCKET_EVERYBODY_TRUSTED'])
  })

  test('H14 a limiter that is made in a handler', async () => {
    const app = new Koa().use((ctx, next) => adapter.rateLimit()(ctx, next))
    expect(await warned(app)).toEqual(['TICKBUCKET_MADE_PER_REQUEST'])
  })

  test('H19 one limiter, mounted twice; two limiters are no mistake', async () => {
    const limit = adapter.rateLimit({ capacity: 100, perHour: 1 })
    expect(await warned(new Koa().use(limit).use(adapter.rateLimit()))).toEqual([])
    expect(await warned(new Koa().use(limit).use(limit))).toEqual(['TICKBUCKET_COUNTED_TWICE'])
  })
})
