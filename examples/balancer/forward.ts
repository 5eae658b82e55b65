import { Agent, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Backend, Backends } from './backends.ts'
import { dropHopByHop, prepareToForward } from './hop-headers.ts'
import type { Hops } from './hops.ts'
import { keepTighterLimit } from './tighter-limit.ts'

/** Methods that may be repeated without asking: RFC 9110, section 9.2.2. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

const MAX_ATTEMPTS = 3
const MAX_CONNECTIONS = 512

export interface ForwardOptions {
  readonly backends: Backends
  readonly hops: Hops
  /** How long a backend may take to begin its answer. 30 seconds when left out. */
  readonly answerTimeoutMs?: number | undefined
  /** Whether the balancer shuts down, so that connections end with their answer. */
  readonly isClosing: () => boolean
}

export interface Forwarder {
  /** Passes a request on to a backend, and its answer back; answers 502, 503 or 504 where there is none. */
  web(req: IncomingMessage, res: ServerResponse): Promise<void>
  /** Passes a request to upgrade on, and then bytes both ways. */
  upgrade(req: IncomingMessage, socket: Socket, head: Buffer): void
  /** Ends the connections to backends. */
  close(): void
}

/**
 * Passes requests on to backends in turn. A request is repeated on another backend only if its method is
 * idempotent, it has no body, and nothing of an answer has come.
 */
export function forwarder(options: ForwardOptions): Forwarder {
  const { backends, hops, answerTimeoutMs = 30_000, isClosing } = options
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })
  const proxy = createProxyServer()

  proxy.on('proxyReq', (proxyReq, req) => {
    // The library takes every target for a path.
    if (req.url === '*') proxyReq.path = '*'
    proxyReq.setTimeout(answerTimeoutMs, () => proxyReq.destroy(new AnswerTimeout()))
  })
  proxy.on('proxyRes', (proxyRes, _req, res) => {
    // An answer may take as long as its reader does once it has begun.
    proxyRes.socket.setTimeout(0)
    dropHopByHop(proxyRes.headers)
    delete proxyRes.headers['transfer-encoding']
    keepTighterLimit(proxyRes.headers, res)
    // The library would keep alive what the client wants closed.
    proxyRes.headers.connection = res.shouldKeepAlive && !isClosing() ? 'keep-alive' : 'close'
    // A stream of events may begin long before its first event; what has a body by now goes out with it.
    setImmediate(() => {
      if (!res.headersSent && !res.destroyed) res.flushHeaders()
    })
  })

  /** Whether the request has been dealt with; if not, it may be tried elsewhere. */
  async function attempt(backend: Backend, req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    backend.sent += 1
    try {
      await proxy.web(req, res, { target: backend.url, agent, xfwd: true })
      return undefined
    } catch (error) {
      if (!res.destroyed) backends.noteFailure(backend, error)
      if (!res.headersSent) return error
      res.destroy()
      return undefined
    }
  }

  return {
    async web(req, res) {
      const mayRepeat = isRepeatable(req)
      prepareToForward(req, hops)
      const tried = new Set<Backend>()
      let error: unknown
      while (tried.size < (mayRepeat ? MAX_ATTEMPTS : 1)) {
        const backend = backends.next(tried)
        if (backend === undefined) break
        tried.add(backend)
        error = await attempt(backend, req, res)
        if (error === undefined || res.destroyed) return
      }
      answerFailure(res, tried.size === 0 ? 503 : error instanceof AnswerTimeout ? 504 : 502)
    },
    upgrade(req, socket, head) {
      const backend = backends.next()
      if (backend === undefined) return answerUpgradeFailure(req, socket, 503)
      backend.sent += 1
      const { upgrade } = req.headers
      prepareToForward(req, hops)
      Object.assign(req.headers, { connection: 'Upgrade', upgrade })
      let hasAnswer = false
      socket.once('pipe', () => (hasAnswer = true))
      // One of its own, since the library tells of an error in time to answer it only by an event.
      const proxy = createProxyServer()
      proxy.on('error', (error) => {
        if (socket.destroyed) return
        backends.noteFailure(backend, error)
        if (!hasAnswer) answerUpgradeFailure(req, socket, 502)
      })
      // A client that is cut off has not said that it ends, so nothing else would end the backend's side.
      proxy.on('open', (backendSocket) => void socket.once('close', () => backendSocket.destroy()))
      void proxy.ws(req, socket, { target: backend.url, xfwd: true, upgradeTimeout: answerTimeoutMs }, head)
    },
    close: () => agent.destroy(),
  }
}

class AnswerTimeout extends Error {}

function isRepeatable(req: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers
  return IDEMPOTENT.has(req.method ?? '') && length === '0' && encoding === undefined
}

const TITLES = { 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' } as const

/** An answer of the balancer's own, as a problem of RFC 9457. */
function answerFailure(res: ServerResponse, status: keyof typeof TITLES): void {
  const title = TITLES[status]
  res.writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
  res.end(JSON.stringify({ type: 'about:blank', title, status }))
}

function answerUpgradeFailure(req: IncomingMessage, socket: Socket, status: keyof typeof TITLES): void {
  const res = new ServerResponse(req)
  res.assignSocket(socket)
  res.shouldKeepAlive = false
  // A client that never ends its own side keeps nothing open.
  res.once('finish', () => socket.end(() => socket.destroy()))
  answerFailure(res, status)
}
