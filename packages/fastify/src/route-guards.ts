import { type Guard, type GuardOptions, policyNameOf } from '@tickbucket/core'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

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

/** Of several plugins around a route, the nearest one limits it: each that sees the route takes it over. */
const guardsOfRoutes = new WeakMap<object, { readonly guard: FastifyGuard; readonly owner: object }>()

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

  return {
    add({ method, url, config }) {
      const own = config?.rateLimit
      if (own === undefined || own === false || config === undefined) return
      const name = nameOf(method, url)
      let guard = guards.get(name)
      if (guard === undefined) guards.set(name, (guard = createGuard({ ...rest, ...named(own, name) })))
      guardsOfRoutes.set(config, { guard, owner: guards })
    },

    guardOf(request, plugins) {
      const { config } = request.routeOptions
      if (config.rateLimit === false) return undefined
      const own = guardsOfRoutes.get(config)
      if (own === undefined) return plugins
      return own.owner === guards ? own.guard : undefined
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
