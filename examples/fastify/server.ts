import { rateLimit } from '@tickbucket/fastify'
import fastify from 'fastify'
import { giveUp, portFromEnv } from '../listen.ts'

const app = fastify()

// Three requests at once, then one a second, for each client.
await app.register(rateLimit, { capacity: 3, perMinute: 60 })

app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
app.get('/', () => 'Hello!\n')
app.post('/echo', (request, reply) => reply.send(request.body))

const port = portFromEnv()
const url = await app
  .listen({ port, host: '::' })
  .catch((error: NodeJS.ErrnoException) => giveUp(error, port))
console.log(`Listening on http://localhost:${new URL(url).port} (3 requests at once, then 60 per minute)`)
