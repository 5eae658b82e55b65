import {
  createGuard,
  type Decision,
  type Facts,
  type Guard,
  type GuardOptions,
  oneOf,
  type Responder,
  runGuard,
} from '@tickbucket/core'
import type {
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  RawServerBase,
  RawServerDefault,
} from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { routeGuards, type RouteRateLimit } from './route-guards.ts'

/** The options of the plugin: those of every adapter, with Fastify's own request, and the hook. */
export interface RateLimitOptions extends GuardOptions<FastifyRequest, FastifyReply> {
  /** In which hook requests are counted. `onRequest`, before the body is read, when left out. */
  readonly hook?: 'onRequest' | 'preValidation' | 'preHandler' | undefined
}

export type { RouteRateLimit } from './route-guards.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the last limiter on this request decided; `undefined` if the request is not limited. */
    rateLimit?: Decision | undefined
  }
  interface FastifyContextConfig {
    /** A limit of this route's own, in place of those of the plugins around it; `false`: none. */
    rateLimit?: RouteRateLimit | false | undefined
  }
}

const facts: Facts<FastifyRequest> = {
  method: (request) => request.method,
  header: (request, name) => request.headers[name],
  address: (request) => request.ip,
  socketAddress: (request) => request.socket.remoteAddress,
  trustsEverybody: believesStrangers,
}

const responder: Responder<FastifyReply> = {
  isSent: (reply) => reply.sent || reply.raw.headersSent,
  setHeader: (reply, name, value) => void reply.header(name, value),
  removeHeader: (reply, name) => void reply.removeHeader(name),
  setStatus: (reply, status) => void reply.code(status),
  // As bytes: Fastify would add a charset to the type of a text.
  send: (reply, body) => void reply.send(Buffer.from(body)),
  // One that was taken over ("hijacked") is its taker's to end.
  cutOff(reply) {
    if (!reply.sent) reply.hijack().raw.destroy()
  },
  accept(reply, given) {
    if (given !== undefined && !reply.sent) reply.send(given)
  },
  departure: (reply) => reply.raw,
}

/** Two hosts that can be nobody's proxies (RFC 5737), and the client that the first of them names. */
const STRANGERS = {
  headers: { 'x-forwarded-for': '192.0.2.1, 198.51.100.1' },
  socket: { remoteAddress: '203.0.113.1' },
}

/** Fastify keeps its `trustProxy` to itself, so it is asked whom it would believe. */
function believesStrangers(request: FastifyRequest): boolean {
  const asked = Object.create(request, { raw: { value: STRANGERS } }) as FastifyRequest
  return asked.ip === '192.0.2.1'
}

type FastifyGuard = Guard<FastifyRequest, FastifyReply>

function hookOf(guardOf: (request: FastifyRequest) => FastifyGuard | undefined): onRequestHookHandler {
  return (request, reply, done) => {
    const guard = guardOf(request)
    if (guard === undefined) done()
    else runGuard(guard, responder, request, reply, (error) => done(error as Error | undefined))
  }
}

/**
 * A limit as a hook, for where no plugin reaches.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * app.setNotFoundHandler({ preHandler: rateLimitHook({ capacity: 5, perMinute: 5 }) }, notFound)
 */
export function rateLimitHook<Server extends RawServerBase = RawServerDefault>(
  options: GuardOptions<FastifyRequest, FastifyReply> = {},
): onRequestHookHandler<Server> {
  const guard = createGuard(options, facts)
  // Servers of HTTP/1.1 and HTTP/2 have requests of their own types, of which all that is asked is alike.
  return hookOf(() => guard) as unknown as onRequestHookHandler<Server>
}

const plugin: FastifyPluginAsync<RateLimitOptions> = async (fastify, options) => {
  const { hook: chosen, ...guardOptions } = options
  const hook = oneOf('hook', chosen, ['onRequest', 'preValidation', 'preHandler'])
  const guard = createGuard(guardOptions, facts)
  const routes = routeGuards(guardOptions, (own) => createGuard(own, facts))
  if (!fastify.hasRequestDecorator('rateLimit')) fastify.decorateRequest('rateLimit', undefined)
  fastify.addHook('onRoute', routes.add)
  // The hooks that may be chosen are called alike; their types are one by one.
  fastify.addHook(
    hook as 'onRequest',
    hookOf((request) => routes.guardOf(request, guard)),
  )
}

/**
 * Limits the requests of each client in the scope that registers it. A refused request is answered
 * with 429 and a true `Retry-After`, and its handler never runs. The client is whom Fastify's own
 * `trustProxy` says.
 *
 * @throws {TickbucketError} from `register`, for whatever is wrong with the options.
 * @example
 * await app.register(rateLimit, { capacity: 10, perMinute: 60 })
 * app.post('/login', { config: { rateLimit: { capacity: 3, perMinute: 3 } } }, login)
 */
export const rateLimit: FastifyPluginAsync<RateLimitOptions> = fastifyPlugin(plugin, {
  fastify: '5.x',
  name: '@tickbucket/fastify',
})

export default rateLimit
