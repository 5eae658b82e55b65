import { manualClock } from '@tickbucket/conformance'
import { memoryStore, type Decision } from '@tickbucket/core'
import { rateLimit, type RateLimitOptions } from '@tickbucket/express'
import express5, { type ErrorRequestHandler, type Express } from 'express'
import express4 from 'express4'
import request from 'supertest'
import { describe, expect, test } from 'vitest'

const BODY =
  '{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,"violated-policies":["default"]}'

const onError: ErrorRequestHandler = (error: Error, _req, res, _next) => {
  res.status(500).send(error.message)
}

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_version, express) => {
  /** An app with one limited route; `seen` is what its handler found on the request. */
  function limited(options: RateLimitOptions): { app: Express; seen: (Decision | undefined)[] } {
    const app = express()
    const seen: (Decision | undefined)[] = []
    app.use(rateLimit(options))
    app.get('/', (req, res) => {
      seen.push(req.rateLimit)
      res.send('hello')
    })
    app.use(onError)
    return { app, seen }
  }

  test('counts down, refuses with a true Retry-After, and lets through when that has passed', async () => {
    const clock = manualClock()
    const { app, seen } = limited({ capacity: 3, perMinute: 60, store: memoryStore({ clock }) })
    for (const remaining of ['2', '1', '0']) {
      const { status, headers } = await request(app).get('/')
      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': remaining })
      expect(headers).not.toHaveProperty('retry-after')
    }
    clock.set(400)
    const refused = await request(app).get('/')
    expect(refused.status).toBe(429)
    expect(refused.text).toBe(BODY)
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'content-length': '143',
    })
    expect(refused.headers).not.toHaveProperty('etag')
    clock.advance(Number(refused.headers['retry-after']) * 1000)
    expect((await request(app).get('/')).status).toBe(200)
    expect(seen.map((decision) => decision?.remaining)).toEqual([2, 1, 0, 0])
  })

  test('an error in a callback reaches the error handler once, and nothing hangs', async () => {
    const no = new Error('no key today')
    for (const key of [
      () => Promise.reject(no),
      () => {
        throw no
      },
    ]) {
      const { app, seen } = limited({ key })
      const { status, text } = await request(app).get('/')
      expect([status, text, seen]).toEqual([500, 'no key today', []])
    }
  })

  test('a key of null is not limited and carries no fields', async () => {
    const { app, seen } = limited({ capacity: 1, perDay: 1, key: () => null })
    for (let count = 0; count < 3; count += 1) {
      const { status, headers } = await request(app).get('/')
      expect(status).toBe(200)
      expect(headers).not.toHaveProperty('x-ratelimit-remaining')
    }
    expect(seen).toEqual([undefined, undefined, undefined])
  })

  test('the client is whom trust proxy says', async () => {
    const { app } = limited({ capacity: 1, perDay: 1 })
    app.set('trust proxy', 1)
    const from = (address: string) => request(app).get('/').set('X-Forwarded-For', address)
    expect((await from('6.6.6.6, 192.0.2.1')).status).toBe(200)
    expect((await from('7.7.7.7, 192.0.2.1')).status).toBe(429)
    expect((await from('::ffff:c000:201')).status).toBe(429)
    expect((await from('192.0.2.2')).status).toBe(200)
  })

  test('onRefused answers in its own words, under our fields', async () => {
    const { app } = limited({
      capacity: 1,
      perMinute: 1,
      onRefused: (_req, { retryAfterMs }, res) => res.status(420).send(`calm, ${retryAfterMs > 0}`),
    })
    await request(app).get('/')
    const { status, text, headers } = await request(app).get('/')
    expect([status, text]).toEqual([420, 'calm, true'])
    expect(headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' })
  })
})
