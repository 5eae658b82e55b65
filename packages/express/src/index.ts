import {
  createGuard,
  type Decision,
  type Facts,
  type GuardOptions,
  nodeResponder,
  runGuard,
} from '@tickbucket/core'
import type { Request, RequestHandler, Response } from 'express'

/** The options of {@link rateLimit}: those of every adapter, with Express's own request. */
export type RateLimitOptions = GuardOptions<Request, Response>

declare global {
  namespace Express {
    interface Request {
      /** What the last limiter on this request decided; missing if the request is not limited. */
      rateLimit?: Decision
    }
  }
}

const facts: Facts<Request> = {
  method: (req) => req.method,
  header: (req, name) => req.headers[name],
  address: (req) => req.ip,
  socketAddress: (req) => req.socket.remoteAddress,
  trustsEverybody: (req) => req.app.get('trust proxy') === true,
}

/**
 * Limits the requests of each client. A refused request is answered with 429 and a true
 * `Retry-After`, and the handlers behind it never run. The client is whom Express's own
 * `trust proxy` setting says.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * app.use(rateLimit({ capacity: 10, perMinute: 60 }))
 */
export function rateLimit(options: RateLimitOptions = {}): RequestHandler {
  const guard = createGuard(options, facts)
  return function rateLimit(req, res, next) {
    runGuard(guard, nodeResponder, req, res, next)
  }
}
