import { rateLimit } from '@tickbucket/koa'
import Koa from 'koa'
import { listen } from '../listen.ts'

const app = new Koa()

// Three requests at once, then one a second, for each client.
app.use(rateLimit({ capacity: 3, perMinute: 60 }))

app.use((ctx) => {
  if (ctx.path === '/' && ctx.method === 'GET') ctx.body = 'Hello!\n'
  if (ctx.path === '/echo' && ctx.method === 'POST') ctx.body = ctx.req
})

const { url } = await listen(app.callback())
console.log(`Listening on ${url} (3 requests at once, then 60 per minute)`)
