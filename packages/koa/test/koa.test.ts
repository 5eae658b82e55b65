import { serve } from '@tickbucket/conformance'
import { rateLimit } from '@tickbucket/koa'
import Koa3 from 'koa'
import Koa2 from 'koa2'
import { expect, test } from 'vitest'

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
