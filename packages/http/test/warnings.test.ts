import { serve, warningsOf } from '@tickbucket/conformance'
import type { Middleware, RateLimitOptions } from '@tickbucket/http'
import { beforeEach, expect, test, vi } from 'vitest'

/** Loaded anew, since each warning is given once per process. */
let rateLimit: (options?: RateLimitOptions) => Middleware

beforeEach(async () => {
  vi.resetModules()
  rateLimit = (await import('@tickbucket/http')).rateLimit
})

async function warned(
  listener: Parameters<typeof serve>[0],
  headers: Record<string, string> = {},
): Promise<string[]> {
  return warningsOf(async () => {
    const { port, close } = await serve(listener)
    for (let count = 0; count < 12; count += 1) await fetch(`http://127.0.0.1:${port}/`, { headers })
    await close()
  })
}

test.each([{ 'x-forwarded-for': '198.51.100.1' }, { forwarded: 'for=198.51.100.1' }])(
  'G10 G22 %o, which nobody trusts',
  async (headers) => {
    const limit = rateLimit()
    expect(await warned((req, res) => limit(req, res, () => res.end()), headers)).toEqual([
      'TICKBUCKET_PROXY_NOT_TRUSTED',
    ])
  },
)

test('H14 a limiter that is made in a handler', async () => {
  expect(await warned((req, res) => rateLimit()(req, res, () => res.end()))).toEqual([
    'TICKBUCKET_MADE_PER_REQUEST',
  ])
})

test('H19 one limiter, asked twice; two limiters are no mistake', async () => {
  const [one, other] = [rateLimit({ capacity: 100, perHour: 1 }), rateLimit({ capacity: 100, perHour: 1 })]
  const both = (first: Middleware, second: Middleware) =>
    warned((req, res) => first(req, res, () => second(req, res, () => res.end())))
  expect(await both(one, other)).toEqual([])
  expect(await both(one, one)).toEqual(['TICKBUCKET_COUNTED_TWICE'])
})
