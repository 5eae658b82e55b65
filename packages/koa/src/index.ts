import {
  after,
  createGuard,
  type Decision,
  type Facts,
  type Field,
  type GuardOptions,
  type MaybePromise,
  type Refusal,
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

// Node's own request and response stand behind Koa's: what comes with every request is asked there.
const facts: Facts<Context> = {
  method: ({ req }) => req.method ?? 'GET',
  header: ({ req }, name) => req.headers[name],
  address: (ctx) => ctx.ip,
  socketAddress: ({ req }) => req.socket.remoteAddress,
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
  return function rateLimit(ctx, next) {
    return after(guard.check(ctx, ctx.res), (verdict) => apply(verdict, ctx, next))
  }
}

function apply(verdict: Verdict<Context>, ctx: Context, next: () => Promise<unknown>): MaybePromise<unknown> {
  const { decision, refusal, fields, pause } = verdict
  if (decision !== undefined) ctx.state['rateLimit'] = decision
  // A response that is under way is left to whoever began it.
  if (ctx.headerSent) return refusal === undefined ? next() : undefined
  if (refusal !== undefined) for (const name of refusal.without) ctx.res.removeHeader(name)
  for (const [name, value] of fields) ctx.res.setHeader(name, value)
  if (decision !== undefined && refusal !== undefined) return refuse(ctx, decision, refusal)
  const goOn = (): Promise<unknown> => next().catch((error: unknown) => keepFields(error, fields))
  if (pause === undefined) return goOn()
  return turnOf(pause, ctx.res).then((isHere) => (isHere ? goOn() : undefined))
}

function refuse(ctx: Context, decision: Decision, refusal: Refusal<Context>): unknown {
  ctx.status = refusal.status
  if (refusal.onRefused !== undefined) return refusal.onRefused(ctx, decision, undefined)
  ctx.body = refusal.body
  for (const [name, value] of refusal.fields) ctx.set(name, value)
  return undefined
}

/** Koa answers an error with none of the headers set so far, but with those that the error names. */
function keepFields(error: unknown, fields: readonly Field[]): never {
  if (error instanceof Error) {
    const { headers } = error as Error & { headers?: Record<string, string> }
    Object.assign(error, { headers: { ...Object.fromEntries(fields), ...headers } })
  }
  throw error
}
