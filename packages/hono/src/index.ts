import {
  applyVerdict,
  createGuard,
  type Decision,
  type Facts,
  fieldsBeside,
  type GuardOptions,
  type NodeResponse,
  type Responder,
  type SentHeaders,
  type Verdict,
} from '@tickbucket/core'
import type { Context, MiddlewareHandler } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'

/** The options of {@link rateLimit}: those of every adapter, with Hono's own context. */
export type RateLimitOptions = GuardOptions<Context>

declare module 'hono' {
  interface ContextVariableMap {
    /** What the last limiter on this request decided; `undefined` if the request is not limited. */
    rateLimit: Decision | undefined
  }
}

/** What runtimes put into `c.env`, or into its `server`: Node's request and response, Bun's server, Deno's connection. */
interface Connection {
  readonly incoming?: {
    readonly socket?: { readonly remoteAddress?: string }
    readonly headers?: Readonly<Record<string, string>>
  }
  readonly outgoing?: NodeResponse
  readonly requestIP?: (request: Request) => { readonly address: string } | null
  readonly remoteAddr?: { readonly hostname?: string }
}

const facts: Facts<Context> = {
  method: (c) => c.req.method,
  header(c, name) {
    const headers = connectionOf(c).incoming?.headers
    return headers === undefined ? c.req.header(name) : headers[name]
  },
  address: socketAddress,
  socketAddress,
}

/**
 * Limits the requests of each client. A refused request is answered with 429 and a true
 * `Retry-After`, and the handlers behind it never run. On Node, Bun and Deno the client is the
 * address at the other end of the socket; behind a proxy, and on other runtimes, give a `key` that
 * names it.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * app.use(rateLimit({ capacity: 10, perMinute: 60 }))
 * app.use(rateLimit({ key: (c) => clientKey(c.req.header('cf-connecting-ip') ?? '') ?? 'none' })) // on Workers
 */
export function rateLimit(options: RateLimitOptions = {}): MiddlewareHandler {
  const guard = createGuard(options, facts)
  return async function rateLimit(c, next) {
    const checked = guard.check(c, sentHeaders(c))
    // What is there already is not waited for.
    const verdict = checked instanceof Promise ? await checked : checked
    if (verdict.decision !== undefined) c.set('rateLimit', verdict.decision)
    try {
      const goesOn = applyVerdict(verdict, responder, c, c)
      if (typeof goesOn === 'boolean' ? goesOn : await goesOn) await next()
      // Hono wants an answer even where nobody is left to read it.
      else if (!c.finalized) c.res = c.body(null)
    } catch (error) {
      // What an error handler answers with takes over what is on the response by then.
      void c.res
      throw error
    }
    restoreFields(c, verdict)
  }
}

/** How Hono's server for Node is told that nothing is left to send. */
const ALREADY_SENT = 'x-hono-already-sent'

const responder: Responder<Context> = {
  isSent: (c) => connectionOf(c).outgoing?.headersSent === true,
  setHeader: (c, name, value) => c.header(name, value),
  removeHeader: (c, name) => c.header(name, undefined),
  setStatus: (c, status) => c.status(status as StatusCode),
  send(c, body) {
    c.res = c.req.method === 'HEAD' ? c.body(null) : c.body(body)
  },
  cutOff(c) {
    const { outgoing } = connectionOf(c)
    if (outgoing?.writableEnded === false) outgoing.destroy()
    c.res = new Response(null, { headers: { [ALREADY_SENT]: 'true' } })
  },
  accept(c, given) {
    if (given instanceof Response) c.res = given
  },
  // The signal of some versions of Hono's server for Node tells nothing if it is asked for too late.
  departure: (c) => connectionOf(c).outgoing ?? c.req.raw.signal,
}

/** A `Response` of a handler's own leaves out what was set before, or has its own idea of a limit. */
function restoreFields(c: Context, { fields, refusal }: Verdict<Context>): void {
  const told: SentHeaders = { getHeader: (name) => c.res.headers.get(name) ?? undefined }
  const missing =
    refusal === undefined
      ? fieldsBeside(fields, told, c.res.status)
      : fields.filter(([name]) => told.getHeader(name) === undefined)
  for (const [name, value] of missing) c.header(name, value)
}

/**
 * The response headers that earlier limiters have set, in Hono or around it. To read its own Hono
 * makes a response, the dearest part of asking, and most requests meet one limiter.
 */
function sentHeaders(c: Context): SentHeaders {
  const { outgoing } = connectionOf(c)
  const isFirst = c.get('rateLimit') === undefined
  return { getHeader: (name) => (isFirst ? undefined : c.res.headers.get(name)) ?? outgoing?.getHeader(name) }
}

function socketAddress(c: Context): string | undefined {
  const connection = connectionOf(c)
  if (connection.incoming !== undefined) return connection.incoming.socket?.remoteAddress
  if (typeof connection.requestIP === 'function') return connection.requestIP(c.req.raw)?.address
  return connection.remoteAddr?.hostname
}

function connectionOf({ env }: Context): Connection {
  const bindings = (env ?? {}) as Connection & { readonly server?: Connection | null }
  return bindings.server ?? bindings
}
