import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { inspect } from 'node:util'
import {
  createGuard,
  type Facts,
  type GuardOptions,
  type LimitedRequest,
  nodeResponder,
  runGuard,
} from '@tickbucket/core'
import { runUpgrade } from './upgrade.ts'

/** A request of `node:http`, or of the compatibility interface of `node:http2`. */
export type Request = (IncomingMessage | Http2ServerRequest) & LimitedRequest
export type Response = ServerResponse | Http2ServerResponse

/** The options of {@link rateLimit}: those of every adapter, with Node's own request. */
export type RateLimitOptions = GuardOptions<Request, Response>

/** Connect's kind of handler. */
export interface Middleware {
  /** Calls `next` if the request may go on, with an error if a callback failed; else it has answered. */
  (req: Request, res: Response, next: (error?: unknown) => void): void
  /**
   * The same for a request to upgrade, in an `upgrade` listener: counts it, and answers a refusal
   * over the socket, before any 101, and closes it. If a callback fails, it answers 500 and tells the
   * operator. A client that has gone meanwhile is not let through, and what its socket says of that
   * is no error.
   */
  upgrade(req: IncomingMessage, socket: Duplex, next: () => void): void
}

const facts: Facts<Request> = {
  method: (req) => req.method ?? 'GET',
  header: (req, name) => req.headers[name],
  address: (req) => req.socket?.remoteAddress,
  socketAddress: (req) => req.socket?.remoteAddress,
}

/**
 * Limits the requests of each client. The client is the address at the other end of the socket:
 * behind a proxy of your own, give a `key` that knows better.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * const limit = rateLimit({ capacity: 10, perMinute: 60 })
 * connectApp.use(limit)
 * server.on('upgrade', (req, socket, head) => limit.upgrade(req, socket, () => accept(req, socket, head)))
 */
export function rateLimit(options: RateLimitOptions = {}): Middleware {
  const guard = createGuard(options, facts)
  const rateLimit = (req: Request, res: Response, next: (error?: unknown) => void): void =>
    runGuard(guard, nodeResponder, req, res, next)
  return Object.assign(rateLimit, {
    upgrade: (req: IncomingMessage, socket: Duplex, next: () => void) =>
      runUpgrade(guard, req, socket, next, fail),
  })
}

/**
 * A whole listener for `createServer`: `handler` behind a limit. Where a callback of the options
 * fails, it answers 500 and tells the operator.
 *
 * @example
 * createServer(limited({ capacity: 10, perMinute: 60 }, (req, res) => res.end('hello'))).listen(8080)
 */
export function limited<Req extends Request = IncomingMessage, Res extends Response = ServerResponse>(
  options: GuardOptions<Req, Res>,
  handler: (req: Req & LimitedRequest, res: Res) => unknown,
): (req: Req, res: Res) => void {
  const limit = rateLimit(options as unknown as RateLimitOptions)
  return (req, res) =>
    limit(req, res, (error) => {
      if (error === undefined) {
        handler(req, res)
        return
      }
      fail(error, res)
    })
}

function fail(error: unknown, res: Response): void {
  process.emitWarning(error instanceof Error ? error : inspect(error))
  res.statusCode = 500
  res.end()
}
