import { rateLimit } from '@tickbucket/express'
import { redisStore } from '@tickbucket/redis'
import express from 'express'
import { Redis } from 'ioredis'
import { listen } from '../listen.ts'

// A client of its own, that fails at once when Redis is gone: the limiter knows what to do then.
const client = new Redis({
  port: Number(process.env['REDIS_PORT']),
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
})
client.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = express()

// Three requests at once, then one a second, for each client, whichever process it meets.
// While Redis is down, each of the two keeps its half of the limit.
app.use(rateLimit({ capacity: 3, perMinute: 60, store: redisStore({ client }), balancers: 2 }))

app.get('/', (_req, res) => {
  res.send(`Hello from ${process.pid}!\n`)
})

const { url } = await listen(app)
console.log(`Listening on ${url}`)
