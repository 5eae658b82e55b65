import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rateLimit as express } from '@tickbucket/express'
import { rateLimit as fastify } from '@tickbucket/fastify'
import { rateLimit as hono } from '@tickbucket/hono'
import { rateLimit } from '@tickbucket/http'
import { rateLimit as koa } from '@tickbucket/koa'
import { getRequestListener } from '@hono/node-server'
import createExpress from 'express'
import createFastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, test } from 'vitest'

const wide = { name: 'wide', capacity: 9, perHour: 1, rateLimitHeaders: 'draft-11' } as const

/** An app of each framework, limited to 9, as a listener that something of Node's own stands in front of. */
const APPS: Readonly<Record<string, () => Promise<RequestListener>>> = {
  Express: async () => createExpress().use(express(wide), (_req, res) => res.send('hello')),
  async Fastify() {
    const app = createFastify()
    await app.register(fastify, wide)
    app.get('/', () => 'hello')
    await app.ready()
    return (req, res) => app.routing(req, res)
  },
  async Hono() {
    const app = new Hono().use(hono(wide)).get('/', (c) => c.text('hello'))
    const listener = getRequestListener(app.fetch)
    return (req, res) => void listener(req, res)
  },
  async Koa() {
    const listener = new Koa()
      .use(koa(wide))
      .use((ctx) => void (ctx.body = 'hello'))
      .callback()
    return (req, res) => void listener(req, res)
  },
}

test.each(Object.keys(APPS))(
  'wire 25 a limiter of node:http in front of %s: the tighter limit is told, and both policies',
  async (framework) => {
    const app = await APPS[framework]!()
    const outer = rateLimit({ name: 'tight', capacity: 3, perHour: 1, rateLimitHeaders: 'draft-11' })
    const server = createServer((req, res) => outer(req, res, () => app(req, res)))
    server.listen(0)
    await once(server, 'listening')
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    server.close()
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['3', '2'])
    expect(headers.get('ratelimit-policy')).toBe('"tight";q=3;w=10800, "wide";q=9;w=32400')
  },
)
