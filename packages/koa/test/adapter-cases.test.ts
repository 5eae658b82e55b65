import { type AdapterHarness, adapterCases, serve } from '@tickbucket/conformance'
import { rateLimit, type RateLimitState } from '@tickbucket/koa'
import Koa3, { type Context } from 'koa'
import Koa2 from 'koa2'
import { describe, test } from 'vitest'

function harnessOf(Koa: typeof Koa3): AdapterHarness {
  return {
    canTrust: true,
    canHttp2: true,
    canBegin: true,
    async serve(spec) {
      const { limiters, before, trust, handled, failed } = spec
      const app = new Koa<RateLimitState>({ proxy: trust, maxIpsCount: trust ? 1 : 0 })
      app.on('error', failed)
      app.use(async (ctx, next) => {
        ctx.set(before)
        if (ctx.path === '/begun') ctx.res.write('begun')
        // Koa shows the message of an error only if it says that it may be shown.
        await next().catch((error: unknown) => {
          throw Object.assign(error as Error, { expose: true })
        })
      })
      for (const options of limiters) app.use(rateLimit(options))
      app.use((ctx) => {
        if (ctx.path === '/missing') return
        handled(ctx.path, ctx.state.rateLimit)
        if (ctx.path === '/throw') throw new Error('thrown')
        ctx.body = ctx.path === '/echo' ? ctx.req : 'hello'
      })
      return serve(app.callback(), spec)
    },
    header: (ctx, name) => (ctx as Context).get(name) || undefined,
    answer: (ctx, _response, status, text) => Object.assign(ctx as Context, { status, body: text }),
  }
}

describe.each([
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
])('%s', (_version, Koa) => {
  const harness = harnessOf(Koa)
  for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
})
