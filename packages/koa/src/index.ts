import {
  createGuard,
  type Decision,
  type Facts,
  type GuardOptions,
  turnOf,
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

const facts: Facts<Context> = {
  method: (ctx) => ctx.method,
  header: (ctx, name) => ctx.headers[name],
  address: (ctx) => ctx.ip,
  socketAddress: (ctx) => ctx.socket.remoteAddress,
  // Without a limit to the hops, Koa takes the first address that the header names.
  trustsEverybody: ({ app }) => app.proxy && app.maxIpsCount === 0,
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
  return async function rateLimit(ctx, next) {
    const verdict = await guard.check(ctx, ctx.res)
    const { decision, refusal } = verdict
    if (decision !== undefined) ctx.state.rateLimit = decision
    // A response that is under way is left to whoever began it.
    if (ctx.headerSent) return refusal === undefined ? next() : undefined
    if (refusal === undefined) {
      setFields(ctx, verdict)
      if (verdict.pause !== undefined && !(await turnOf(verdict.pause, ctx.res))) return undefined
      return goOn(verdict, next)
    }
    for (const name of refusal.without) ctx.remove(name)
    setFields(ctx, verdict)
    ctx.status = refusal.status
    if (refusal.onRefused !== undefined && decision !== undefined)
      return refusal.onRefused(ctx, decision, undefined)
    ctx.body = refusal.body
    for (const [name, value] of refusal.fields) ctx.set(name, value)
    return undefined
  }
}

function setFields(ctx: Context, { fields }: Verdict<Context>): void {
  for (const [name, value] of fields) ctx.set(name, value)
}

/** Koa answers an error with none of the headers set so far, but with those that the error names. */
async function goOn({ fields }: Verdict<Context>, next: () => Promise<unknown>): Promise<unknown> {
  try {
    return await next()
  } catch (error) {
    if (error instanceof Error) {
      const { headers } = error as Error & { headers?: Record<string, string> }
      Object.assign(error, { headers: { ...Object.fromEntries(fields), ...headers } })
    }
    throw error
  }
}
