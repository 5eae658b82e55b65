import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AdapterHarness, adapterCases, serve } from '@tickbucket/conformance'
import { rateLimit, type Request, type Response } from '@tickbucket/http'
import { test } from 'vitest'

const harness: AdapterHarness = {
  canTrust: false,
  canHttp2: true,
  canBegin: true,
  async serve(spec) {
    const { limiters, before, handled, failed } = spec
    const limits = limiters.map((options) => rateLimit(options))
    return serve((req, res) => {
      for (const [name, value] of Object.entries(before)) res.setHeader(name, value)
      if (req.url === '/begun') res.write('begun')
      through(limits, req, res, failed, () => handle(req, res, handled))
    }, spec)
  },
  header: (ctx, name) => (ctx as Request).headers[name] as string | undefined,
  answer: (_ctx, response, status, text) => end(response as Response, status, text),
}

function end(res: Response, status: number, text: string): void {
  res.statusCode = status
  res.end(text)
}

/** Connect's way: one after another, and an error ends it. */
function through(
  limits: readonly ReturnType<typeof rateLimit>[],
  req: Request,
  res: Response,
  failed: (error: unknown) => void,
  last: () => void,
): void {
  const [first, ...rest] = limits
  if (first === undefined) return last()
  first(req, res, (error) => {
    if (error === undefined) return through(rest, req, res, failed, last)
    failed(error)
    return end(res, 500, (error as Error).message)
  })
}

function handle(
  req: IncomingMessage & Request,
  res: ServerResponse,
  handled: (path: string, decision: Request['rateLimit']) => void,
): void {
  const path = req.url?.replace(/\?.*/, '') ?? ''
  if (path === '/missing') return end(res, 404, 'missing')
  handled(path, req.rateLimit)
  if (path === '/throw') return end(res, 500, 'thrown')
  if (path === '/echo') req.pipe(res)
  else end(res, 200, 'hello')
}

for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
