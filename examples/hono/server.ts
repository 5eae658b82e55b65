import { getRequestListener } from '@hono/node-server'
import { rateLimit } from '@tickbucket/hono'
import { Hono } from 'hono'
import { listen } from '../listen.ts'

const app = new Hono()

// Three requests at once, then one a second, for each client.
app.use(rateLimit({ capacity: 3, perMinute: 60 }))

app.get('/', (c) => c.text('Hello!\n'))
app.post('/echo', (c) => new Response(c.req.raw.body))

const { url } = await listen(getRequestListener(app.fetch))
console.log(`Listening on ${url} (3 requests at once, then 60 per minute)`)
