import { createRequire } from 'node:module'
import { memoryStore, tokenBucket } from '@tickbucket/core'
import { MemoryStore } from 'express-rate-limit'
import { RateLimiterMemory } from 'rate-limiter-flexible'

const DAY = 86_400_000

/** A store in memory as its own package calls it: `ask` is one decision, at once or as a promise. */
export interface Contestant {
  ask(key: string): unknown
  /** Whether what `ask` gave, or what its promise came to, lets the request through. */
  isAllowed(answer: unknown): boolean
  readonly isAsync: boolean
}

type Make = (clients: number, limit: number) => Contestant

const load = createRequire(import.meta.url)

export const contestants: Readonly<Record<string, Make>> = {
  tickbucket(clients, limit) {
    const store = memoryStore({ maxClients: Math.max(clients, 1_000_000) })
    const policies = Object.freeze([tokenBucket({ capacity: limit, perDay: 1 })])
    return {
      isAsync: false,
      ask: (key) => store.take(key, 1, policies),
      isAllowed: (answer) => (answer as { allowed: boolean }).allowed,
    }
  },

  'express-rate-limit'(_clients, limit) {
    const store = new MemoryStore()
    store.init({ windowMs: DAY } as Parameters<typeof store.init>[0])
    return {
      isAsync: true,
      ask: (key) => store.increment(key),
      isAllowed: (answer) => (answer as { totalHits: number }).totalHits <= limit,
    }
  },

  '@fastify/rate-limit'(clients, limit) {
    interface Local {
      incr(
        key: string,
        done: (error: unknown, seen: { current: number }) => void,
        ms: number,
        max: number,
      ): void
    }
    const LocalStore = load('@fastify/rate-limit/store/LocalStore.js') as new (
      continueExceeding: boolean,
      exponentialBackoff: boolean,
      cache: number,
    ) => Local
    const store = new LocalStore(false, false, clients)
    let seen: unknown
    const done = (_: unknown, answer: unknown): void => {
      seen = answer
    }
    return {
      isAsync: false,
      ask(key) {
        store.incr(key, done, DAY, limit)
        return seen
      },
      isAllowed: (answer) => (answer as { current: number }).current <= limit,
    }
  },

  'rate-limiter-flexible'(_clients, limit) {
    const limiter = new RateLimiterMemory({ points: limit, duration: DAY / 1000 })
    return {
      isAsync: true,
      ask: (key) => limiter.consume(key).catch((refusal: unknown) => refusal),
      isAllowed: (answer) => (answer as { consumedPoints: number }).consumedPoints <= limit,
    }
  },

  'koa-ratelimit'(_clients, limit) {
    const Limiter = load('koa-ratelimit/limiter/memory') as new (options: object) => {
      get(): Promise<unknown>
    }
    const db = new Map<string, unknown>()
    return {
      isAsync: true,
      // Its middleware makes one for each request, too.
      ask: (id) => new Limiter({ id, db, max: limit, duration: DAY }).get(),
      isAllowed: (answer) => (answer as { remaining: number }).remaining > 0,
    }
  },
}
