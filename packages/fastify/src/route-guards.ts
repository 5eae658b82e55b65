import { type Guard, type GuardOptions, policyNameOf } from '@tickbucket/core'
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

type Route = Pick<FastifyRequest['routeOptions'], 'method' | 'url'>

/** The guards of the routes below one plugin that have a limit of their own. */
export interface RouteGuards {
  /** Fastify's `onRoute`. */
  add(this: void, route: RouteOptions): void
  /** Who limits a request below this plugin: its route's own guard, the plugin's, or `undefined`, nobody. */
  guardOf(request: FastifyRequest, plugins: FastifyGuard): FastifyGuard | undefined
}

export function routeGuards(options: Options, createGuard: (options: Options) => FastifyGuard): RouteGuards {
  const guards = new Map<string, FastifyGuard>()
  const rest: Options = { ...options, ...Object.fromEntries(POLICY_OPTIONS.map((name) => [name, undefined])) }

  function guardFor(own: RouteRateLimit, { method, url = '' }: Route): FastifyGuard {
    const name = nameOf(method, url)
    let guard = guards.get(name)
    if (guard === undefined) guards.set(name, (guard = createGuard({ ...rest, ...named(own, name) })))
    return guard
  }

  return {
    add(route) {
      const own = route.config?.rateLimit
      if (own === undefined || own === false) return
      // Of several plugins around a route the nearest one is the last to see it, and takes it over.
      const guarded: GuardedConfig = { [GUARD]: { guard: guardFor(own, route), owner: guards } }
      route.config = { ...route.config, ...guarded }
    },

    guardOf(request, plugins) {
      const route = request.routeOptions
      const config: FastifyContextConfig & GuardedConfig = route.config
      if (config.rateLimit === undefined) return plugins
      if (config.rateLimit === false) return undefined
      const own = config[GUARD]
      if (own !== undefined) return own.owner === guards ? own.guard : undefined
      // A route that was added before the plugin is seen with its first request.
      const guard = guardFor(config.rateLimit, route)
      config[GUARD] = { guard, owner: guards }
      return askedLater(guard)
    },
  }
}

/** A route's buckets are its own, also in a store that it shares with the plugin. */
function named(own: RouteRateLimit, name: string): RouteRateLimit {
  return own.policies === undefined && own.limiter === undefined ? { ...own, name: own.name ?? name } : own
}

/** The HEAD route that Fastify makes of a GET route, and a route with a slash at its end, are that route. */
function nameOf(method: string | readonly string[], url: string): string {
  const methods = [method].flat().map((one) => (one === 'HEAD' ? 'GET' : one))
  return policyNameOf(`${[...new Set(methods)].join(' ')} ${url.replace(/\/$/, '')}`)
}

/** What is made with its first request is asked a moment later, not to look like one that is made for each. */
function askedLater(guard: FastifyGuard): FastifyGuard {
  return { check: (...asked) => Promise.resolve().then(() => guard.check(...asked)) }
}
