import { serve, warningsOf } from '@tickbucket/conformance'
import type * as Adapter from '@tickbucket/express'
import express5, { type Express } from 'express'
import express4 from 'express4'
import { beforeEach, describe, expect, test, vi } from 'vitest'

/** Loaded anew, since each warning is given once per process. */
let adapter: typeof Adapter

beforeEach(async () => {
  vi.resetModules()
  adapter = await import('@tickbucket/express')
})

async function warned(app: Express, headers: Record<string, string> = {}): Promise<string[]> {
  app.use((_req, res) => res.send('hello'))
  return warningsOf(async () => {
    const { port, close } = await serve(app)
    for (let count = 0; count < 12; count += 1) await fetch(`http://127.0.0.1:${port}/`, { headers })
    await close()
  })
}

const forwarded = { 'x-forwarded-for': '198.51.100.1' }

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_version, express) => {
  test.each([forwarded, { forwarded: 'for=198.51.100.1' }])(
    'G10 G22 %o that nobody trusts',
    async (headers) => {
      const app = express().use(adapter.rateLimit())
      expect(await warned(app, headers)).toEqual(['TICKBUCKET_PROXY_NOT_TRUSTED'])
    },
  )

  test.each([1, 'loopback', ['127.0.0.0/8', '::1']])(
    'G11 a proxy that is trusted by %o is no mistake',
    async (trust) => {
      const app = express().set('trust proxy', trust).use(adapter.rateLimit())
      expect(await warned(app, forwarded)).toEqual([])
    },
  )

  test('G11 everybody is trusted', async () => {
    const app = express().set('trust proxy', true).use(adapter.rateLimit())
    expect(await warned(app)).toEqual(['TICKBUCKET_EVERYBODY_TRUSTED'])
  })

  test('H14 a limiter that is made in a handler', async () => {
    const app = express().use((req, res, next) => void adapter.rateLimit()(req, res, next))
    expect(await warned(app)).toEqual(['TICKBUCKET_MADE_PER_REQUEST'])
  })

  test('H19 one limiter, mounted twice; two limiters are no mistake', async () => {
    const limit = adapter.rateLimit({ capacity: 100, perHour: 1 })
    expect(await warned(express().use(limit, adapter.rateLimit()))).toEqual([])
    expect(await warned(express().use(limit).use('/', limit))).toEqual(['TICKBUCKET_COUNTED_TWICE'])
  })
})
