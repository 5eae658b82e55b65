import { deepStrictEqual, strictEqual } from 'node:assert'
import { type AdapterCase, adapterCase, isRefused } from './adapter-case.ts'

/** What else stands on a response, and how other methods than GET are answered. */
export const responseCases: readonly AdapterCase[] = [
  adapterCase(
    'wire 26 30 what others have set does not survive on a refusal, and does on any other response',
    () => ({
      limiters: [{ capacity: 1, perMinute: 60 }],
      before: {
        'Retry-After': '120',
        'Cache-Control': 'public, max-age=60',
        ETag: '"v1"',
        'Last-Modified': 'Tue, 01 Dec 2026 09:00:00 GMT',
        Expires: 'Wed, 01 Dec 2027 09:00:00 GMT',
        'CDN-Cache-Control': 'max-age=600',
        'Content-Encoding': 'gzip',
        'Content-Disposition': 'attachment',
        'Content-Language': 'de',
        'X-App': 'kept',
      },
    }),
    async ({ ask }) => {
      const { headers } = await ask()
      deepStrictEqual(
        [headers['cache-control'], headers['etag'], headers['x-app']],
        ['public, max-age=60', '"v1"', 'kept'],
      )
      const refused = await ask()
      isRefused(refused, 1)
      strictEqual(refused.headers['x-app'], 'kept')
      for (const name of ['cdn-cache-control', 'content-encoding', 'content-disposition', 'content-language'])
        strictEqual(refused.headers[name], undefined, name)
    },
  ),
  adapterCase(
    'wire 29 HEAD is counted, and refused with the same fields and no body',
    { capacity: 1, perMinute: 60 },
    async ({ ask }) => {
      strictEqual((await ask({ method: 'HEAD' })).headers['x-ratelimit-remaining'], '0')
      const refused = await ask({ method: 'HEAD' })
      deepStrictEqual(
        [
          refused.status,
          refused.body,
          refused.headers['content-length'],
          refused.headers['retry-after'],
          refused.headers['content-type'],
        ],
        [429, '', '143', '1', 'application/problem+json'],
      )
    },
  ),
  adapterCase(
    'wire 34 H16 a preflight is neither counted nor refused; a plain OPTIONS is a request',
    { capacity: 2, perMinute: 1 },
    async ({ ask, status }) => {
      const preflight = {
        method: 'OPTIONS',
        headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
      }
      for (const right of [200, 200, 429]) {
        const { status: passed, headers } = await ask(preflight)
        strictEqual(
          passed !== 429 && headers['x-ratelimit-remaining'] === undefined,
          true,
          `preflight: ${passed}`,
        )
        strictEqual(await status(), right)
      }
      for (const headers of [
        {},
        { origin: 'https://a.example' },
        { 'access-control-request-method': 'GET' },
      ]) {
        strictEqual(await status({ method: 'OPTIONS', headers }), 429)
      }
    },
  ),
  adapterCase(
    'wire 35 a CORS field that was set in front of the limiter stays on a refusal',
    () => ({
      limiters: [{ capacity: 1, perMinute: 1 }],
      before: { 'Access-Control-Allow-Origin': 'https://a.example' },
    }),
    async ({ ask }) => {
      await ask()
      const refused = await ask()
      isRefused(refused, 60)
      strictEqual(refused.headers['access-control-allow-origin'], 'https://a.example')
    },
  ),
]
