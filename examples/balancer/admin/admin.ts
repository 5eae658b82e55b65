import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Policy, tokenBucket, TickbucketError, type TokenBucketOptions } from '@tickbucket/core'
import express, { type ErrorRequestHandler } from 'express'
import { isScenario } from '../traffic.ts'
import { feed } from './feed.ts'
import { sameOrigin } from './same-origin.ts'
import { securityHeaders } from './security-headers.ts'
import type { Shown } from './snapshot.ts'

const PAGE = join(import.meta.dirname, '../page')
const UPLOT = dirname(fileURLToPath(import.meta.resolve('uplot')))

/** The page and what it asks for. For loopback only: it changes limits and sends traffic. */
export function createAdmin(shown: Shown): Server {
  const app = express()
  app.disable('x-powered-by')
  app.use(securityHeaders, sameOrigin)
  app.use(express.static(PAGE))
  app.use('/uplot', express.static(UPLOT))
  app.get('/events', (_req, res) => feed(res, shown))
  app.post('/traffic/:scenario', express.json({ limit: '1kb' }), (req, res) => {
    const { scenario } = req.params
    if (isScenario(scenario)) {
      shown.traffic.toggle(scenario)
      res.status(202).json({ running: shown.traffic.running() })
    } else res.status(404).json({ message: `There is no '${scenario}'.` })
  })
  app.post('/backends/:name/:what', express.json({ limit: '1kb' }), (req, res, next) => {
    const server = shown.servers.find(({ name }) => name === req.params.name)
    const { what } = req.params
    if (server === undefined || (what !== 'kill' && what !== 'revive')) {
      res.status(404).json({ message: 'There is no such backend, or nothing of that kind to do to it.' })
      return
    }
    server[what]().then(() => res.json({}), next)
  })
  app.post('/limits', express.json({ limit: '4kb' }), (req, res) => {
    shown.balancer.limits?.change(policiesFrom(req.body))
    res.json({ policies: shown.balancer.limits?.limiter.policies })
  })
  app.use(explain)
  return createServer(app)
}

/** What came is anything; what makes a policy is for `tokenBucket()` to say. */
function policiesFrom(body: unknown): Policy[] {
  const { policies } = (body ?? {}) as { policies?: unknown }
  if (!Array.isArray(policies) || policies.length === 0) {
    throw Object.assign(new Error("Send { policies: [...] }, a list of at least one policy's options."), {
      status: 400,
    })
  }
  return policies.map((options, index) => {
    try {
      return tokenBucket(options as TokenBucketOptions)
    } catch (error) {
      throw Object.assign(error as Error, { index })
    }
  })
}

const explain: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (res.headersSent) return next(error)
  if (error instanceof TickbucketError) {
    const { code, option, message, index } = error as TickbucketError & { index?: number }
    return void res.status(400).json({ code, option, message, index })
  }
  const { status = 500, message } = error as Partial<{ status: number; message: string }>
  if (status === 500) process.emitWarning(error as Error)
  res.status(status).json({ message: status === 500 ? 'Something broke; see the terminal.' : message })
}
