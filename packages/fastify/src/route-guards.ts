import { type Guard, type GuardOptions, policyNameOf, TickbucketError } from '@tickbucket/core'
import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

type Options = GuardOptions<FastifyRequest, FastifyReply>
type FastifyGuard = Guard<FastifyRequest, FastifyReply>

/** A route's own limit: whatever it does not say, the nearest plugin's options say. */
export type RouteRateLimit = Options

/** What says what the limit is; a route that says one of these says all of them. */
const POLICY_OPTIONS = [
  'name',
  'capacity',
  'perSecond',
  'perMinute',
  'perHour',
  'perDay',
  'rate',
  'periodMs',
  'policies',
  'limiter',
] as const

/** Where a route's config keeps its guard, and the plugin that made it. */
const GUARD: unique symbol = Symbol('@tickbucket/fastify')

interface GuardedConfig {
  [GUARD]?: { readonly guard: FastifyGuard; readonly owner: object }
}

/** What tells one route from another; with its first request, a route does not tell its constraints. */
interface Route {
  readonly methods: readonly string[]
  readonly url: string
  readonly constraints: string
}

interface Known extends Route {
  readonly guard: FastifyGuard
}

/** The guards of the routes below one plugin that have a limit of their own. */
export interface RouteGuards {
  /** Fastify's `onRoute`. */
  add(this: void, route: RouteOptions): void
  /** Who limits a request below this plugin: its route's own guard, the plugin's, or `undefined`, nobody. */
  guardOf(request: FastifyRequest, plugins: FastifyGuard): FastifyGuard | undefined
}

export function routeGuards(options: Options, createGuard: (options: Options) => FastifyGuard): RouteGuards {
  const known = new Map<RouteRateLimit, Known[]>()
  const owners = new Map<string, RouteRateLimit>()
  const rest: Options = { ...options, ...Object.fromEntries(POLICY_OPTIONS.map((name) => [name, undefined])) }

  function guardFor(own: RouteRateLimit, route: Route): FastifyGuard {
    let ofOwn = known.get(own)
    if (ofOwn === undefined) known.set(own, (ofOwn = []))
    const same = ofOwn.find((one) => isSame(one, route))
    if (same !== undefined) return same.guard
    const guard = createGuard({ ...rest, ...named(own, route) })
    ofOwn.push({ ...route, guard })
    return guard
  }

  /** A route's buckets are its own, also in a store that it shares with others. */
  function named(own: RouteRateLimit, { methods, url, constraints }: Route): RouteRateLimit {
    if (own.policies !== undefined || own.limiter !== undefined || own.name !== undefined) return own
    const text = `${methods.join(' ')} ${url}${constraints}`
    const owner = owners.get(text)
    if (owner !== undefined && owner !== own) {
      throw new TickbucketError(
        'POLICY_CONFLICT',
        'config.rateLimit',
        own,
        `Two routes '${text}' have limits of their own and were added before the plugin, which cannot tell them apart. ` +
          `Give each limit a 'name', or await the plugin before adding them.`,
      )
    }
    owners.set(text, own)
    return { ...own, name: policyNameOf(text) }
  }

  return {
    add(route) {
      const own = route.config?.rateLimit
      if (own === undefined || own === false) return
      // Of several plugins around a route the nearest one is the last to see it, and takes it over.
      const guard = guardFor(own, asRoute(route.method, route.url, route.constraints))
      const guarded: GuardedConfig = { [GUARD]: { guard, owner: known } }
      route.config = { ...route.config, ...guarded }
    },

    guardOf(request, plugins) {
      const route = request.routeOptions
      const config: FastifyContextConfig & GuardedConfig = route.config
      if (config.rateLimit === undefined) return plugins
      if (config.rateLimit === false) return undefined
      const own = config[GUARD]
      if (own !== undefined) return own.owner === known ? own.guard : undefined
      // A route that was added before the plugin is seen with its first request.
      const guard = guardFor(config.rateLimit, asRoute(route.method, route.url))
      config[GUARD] = { guard, owner: known }
      return askedLater(guard)
    },
  }
}

function asRoute(
  method: string | readonly string[],
  url = '',
  constraints: Readonly<Record<string, unknown>> = {},
): Route {
  const named = Object.entries(constraints).map(([name, value]) => ` ${name}=${String(value)}`)
  return { methods: [method].flat(), url, constraints: named.join('') }
}

/** Whether two routes with one limit are one: the HEAD route that Fastify makes of a GET route, and one with a slash at its end, are that route. */
function isSame(some: Route, other: Route): boolean {
  return (
    some.constraints === other.constraints &&
    withoutSlash(some.url) === withoutSlash(other.url) &&
    some.methods.some((method) => other.methods.some((one) => withoutHead(one) === withoutHead(method)))
  )
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}

function withoutHead(method: string): string {
  return method === 'HEAD' ? 'GET' : method
}

/** What is made with its first request is asked a moment later, not to look like one that is made for each. */
function askedLater(guard: FastifyGuard): FastifyGuard {
  return { check: (...asked) => Promise.resolve().then(() => guard.check(...asked)) }
}
