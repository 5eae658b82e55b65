import { createServer, type RequestListener } from 'node:http'
import fastifyRateLimit from '@fastify/rate-limit'
import { getRequestListener } from '@hono/node-server'
import { rateLimit as expressOurs } from '@tickbucket/express'
import { rateLimit as fastifyOurs } from '@tickbucket/fastify'
import { rateLimit as honoOurs } from '@tickbucket/hono'
import { limited } from '@tickbucket/http'
import { rateLimit as koaOurs } from '@tickbucket/koa'
import express from 'express'
import { rateLimit as expressRateLimit } from 'express-rate-limit'
import fastify from 'fastify'
import { Hono } from 'hono'
import { rateLimiter as honoRateLimiter } from 'hono-rate-limiter'
import Koa from 'koa'
import koaRateLimit from 'koa-ratelimit'

// One hello-world in a process of its own: `server.ts <framework> <bare | fields | ours | peer>`. The
// limit is never reached, so that all of them answer the same; `fields` sets two fields and decides nothing.
const [framework = '', side = ''] = process.argv.slice(2)
const MOST = 1_000_000_000
const ours = { capacity: MOST, perSecond: MOST }
const LIMIT = 'X-RateLimit-Limit'
const REMAINING = 'X-RateLimit-Remaining'
let left = MOST
const ready = (port: number): unknown => process.send?.(port)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1e6)
})

const hello: RequestListener = (_req, res) => res.end('hello')

const servers: Readonly<Record<string, () => unknown>> = {
  express() {
    const app = express()
    if (side === 'ours') app.use(expressOurs(ours))
    if (side === 'fields')
      app.use((_req, res, next) => {
        res.setHeader(LIMIT, String(MOST)).setHeader(REMAINING, String((left -= 1)))
        next()
      })
    if (side === 'peer') app.use(expressRateLimit({ windowMs: 60_000, limit: MOST }))
    app.get('/', (_req, res) => void res.send('hello'))
    listen(createServer(app))
  },
  async fastify() {
    const app = fastify()
    if (side === 'ours') await app.register(fastifyOurs, ours)
    if (side === 'fields')
      app.addHook('onRequest', (_request, reply, done) => {
        reply.header(LIMIT, String(MOST)).header(REMAINING, String((left -= 1)))
        done()
      })
    if (side === 'peer') await app.register(fastifyRateLimit, { max: MOST, timeWindow: 60_000 })
    app.get('/', (_request, reply) => reply.send('hello'))
    await app.listen({ port: 0 })
    ready((app.server.address() as { port: number }).port)
  },
  koa() {
    const app = new Koa()
    // Connections that the client breaks at the end of a run are no news.
    app.silent = true
    if (side === 'ours') app.use(koaOurs(ours))
    if (side === 'fields')
      app.use((ctx, next) => {
        ctx.res.setHeader(LIMIT, String(MOST)).setHeader(REMAINING, String((left -= 1)))
        return next()
      })
    if (side === 'peer')
      app.use(koaRateLimit({ driver: 'memory', db: new Map(), duration: 60_000, max: MOST }))
    app.use((ctx) => void (ctx.body = 'hello'))
    const listener = app.callback()
    listen(createServer((req, res) => void listener(req, res)))
  },
  hono() {
    const app = new Hono()
    if (side === 'ours') app.use(honoOurs(ours))
    if (side === 'fields')
      app.use((c, next) => {
        c.header(LIMIT, String(MOST))
        c.header(REMAINING, String((left -= 1)))
        return next()
      })
    if (side === 'peer')
      app.use(honoRateLimiter({ windowMs: 60_000, limit: MOST, keyGenerator: () => 'client' }))
    app.get('/', (c) => c.text('hello'))
    const listener = getRequestListener(app.fetch)
    listen(createServer((req, res) => void listener(req, res)))
  },
  http() {
    const listeners: Record<string, Parameters<typeof createServer>[1]> = {
      ours: limited(ours, hello),
      fields(req, res) {
        res.setHeader(LIMIT, String(MOST)).setHeader(REMAINING, String((left -= 1)))
        hello(req, res)
      },
    }
    listen(createServer(listeners[side] ?? hello))
  },
}

function listen(server: ReturnType<typeof createServer>): void {
  server.listen(0, () => ready((server.address() as { port: number }).port))
}

await servers[framework]?.()
