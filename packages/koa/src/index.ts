import {
  after,
  applyVerdict,
  createGuard,
  type Decision,
  type Facts,
  type Field,
  type GuardOptions,
  type Responder,
  type Verdict,
} from '@tickbucket/core'
import type { Context, DefaultState, Middleware } from 'koa'

/** The options of {@link rateLimit}: those of every adapter, with Koa's own context. */
export type RateLimitOptions = GuardOptions<Context>

/** What a handler behind finds in `ctx.state`. */
export interface RateLimitState extends DefaultState {
  /** What the last limiter on this request decided; missing if the request is not limited. */
  rateLimit?: Decision
}

// Node's own request and response stand behind Koa's: what comes with every request is asked there.
const facts: Facts<Context> = {
  method: ({ req }) => req.method ?? 'GET',
  header: ({ req }, name) => req.headers[name],
  address: (ctx) => ctx.ip,
  socketAddress: ({ req }) => req.socket.remoteAddress,
  // Without a limit to the hops, Koa takes the first address that the header names.
  trustsEverybody: ({ app }) => app.proxy && app.maxIpsCount === 0,
}

const responder: Responder<Context> = {
  isSent: (ctx) => ctx.headerSent,
  setHeader: ({ res }, name, value) => void res.setHeader(name, value),
  removeHeader: ({ res }, name) => res.removeHeader(name),
  setStatus(ctx, status) {
    ctx.status = status
  },
  send(ctx, body) {
    ctx.body = body
  },
  // What Koa is told not to answer, whoever began it goes on with when the middleware behind returns.
  cutOff({ respond, res }) {
    if (respond !== false && !res.writableEnded) res.destroy()
  },
  departure: ({ res }) => res,
}

/**
 * Limits the requests of each client. A refused request is answered with 429 and a true
 * `Retry-After`, and the middleware behind it never runs. The client is whom Koa's own `proxy` and
 * `maxIpsCount` say.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * app.use(rateLimit({ capacity: 10, perMinute: 60 }))
 */
export function rateLimit(options: RateLimitOptions = {}): Middleware<RateLimitState> {
  const guard = createGuard(options, facts)
  return function rateLimit(ctx, next) {
    return after(guard.check(ctx, ctx.res), (verdict) => carriedOut(verdict, ctx, next))
  }
}

async function carriedOut(
  verdict: Verdict<Context>,
  ctx: Context,
  next: () => Promise<unknown>,
): Promise<void> {
  if (verdict.decision !== undefined) ctx.state['rateLimit'] = verdict.decision
  try {
    const goesOn = applyVerdict(verdict, responder, ctx, ctx)
    // What is there already is not waited for.
    if (typeof goesOn === 'boolean' ? goesOn : await goesOn) await next()
  } catch (error) {
    keepFields(ctx, verdict.fields)
    throw error
  }
}

/**
 * Koa answers an error with none of the headers set so far, but with those that the error names,
 * which may be another server's. The error is left as it is: it may be one for many requests.
 */
function keepFields({ res }: Context, fields: readonly Field[]): void {
  const writeHead = res.writeHead.bind(res)
  res.writeHead = (...head: unknown[]): typeof res => {
    for (const [name, value] of fields) res.setHeader(name, value)
    return writeHead(...(head as [number]))
  }
}
