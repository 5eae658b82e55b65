import { type AdapterHarness, adapterCases, serve } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/express'
import express5, { type ErrorRequestHandler, type Request, type Response } from 'express'
import express4 from 'express4'
import { describe, test } from 'vitest'

function harnessOf(express: typeof express5): AdapterHarness {
  return {
    canTrust: true,
    canHttp2: false,
    canBegin: true,
    async serve(spec) {
      const { limiters, before, trust, handled, failed } = spec
      const app = express()
      app.set('trust proxy', trust ? 1 : false)
      app.set('etag', false)
      app.use((req, res, next) => {
        res.set(before)
        if (req.path === '/begun') res.write('begun')
        next()
      })
      for (const options of limiters) app.use(rateLimit(options))
      app.use((req, res, next) => {
        if (req.path === '/missing') return next()
        handled(req.path, req.rateLimit)
        if (req.path === '/throw') throw new Error('thrown')
        if (req.path === '/echo') return req.pipe(res)
        return res.send('hello')
      })
      const onError: ErrorRequestHandler = (error: Error, _req, res, _next) => {
        failed(error)
        res.status(500).send(error.message)
      }
      app.use(onError)
      return serve(app, spec)
    },
    header: (ctx, name) => (ctx as Request).get(name),
    answer: (_ctx, response, status, text) => (response as Response).status(status).send(text),
  }
}

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s', (_version, express) => {
  const harness = harnessOf(express)
  for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
})
