import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type AdapterHarness, adapterCases, serve } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/hono'
import { type Context, Hono } from 'hono'
import { test } from 'vitest'

const harness: AdapterHarness = {
  canTrust: false,
  canHttp2: true,
  canBegin: true,
  async serve(spec) {
    const { limiters, before, handled, failed } = spec
    const app = new Hono<{ Bindings: HttpBindings }>()
    app.use(async (c, next) => {
      for (const [name, value] of Object.entries(before)) c.header(name, value)
      if (c.req.path === '/begun') c.env.outgoing.write('begun')
      await next()
    })
    for (const options of limiters) app.use(rateLimit(options))
    app.all('/throw', (c) => {
      handled(c.req.path, c.get('rateLimit'))
      throw new Error('thrown')
    })
    app.all('/echo', (c) => {
      handled(c.req.path, c.get('rateLimit'))
      return new Response(c.req.raw.body)
    })
    app.all('*', async (c, next) => {
      if (c.req.path === '/missing') return next()
      handled(c.req.path, c.get('rateLimit'))
      return c.text('hello')
    })
    app.onError((error, c) => {
      failed(error)
      return c.text(error.message, 500)
    })
    return serve(getRequestListener(app.fetch), spec)
  },
  header: (ctx, name) => (ctx as Context).req.header(name),
  answer: (ctx, _response, status, text) => (ctx as Context).text(text, status as 400),
}

for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
