import type { IncomingMessage } from 'node:http'
import { createLimiter, type DecisionEvent, type Limiter, type Policy, type Store } from '@tickbucket/core'
import { type Middleware, rateLimit, type Request } from '@tickbucket/http'

export interface LimitsOptions {
  readonly policies: readonly Policy[]
  /** Gives a store for each set of policies. */
  readonly createStore: (policies: readonly Policy[]) => Store
  /** How many balancers share the store: while it fails, each keeps its share. 1 when left out. */
  readonly balancers?: number | undefined
  readonly keyOf: (req: IncomingMessage) => string
  readonly onDecision?: ((event: DecisionEvent<Request>) => void) | undefined
}

/** The policies of every client, which may change while requests come. */
export interface Limits {
  readonly limiter: Limiter<Store>
  readonly limit: Middleware
  /**
   * Limits by other policies from the next request on. In a store one name has one set of numbers for good,
   * so the new ones begin in a store of their own, where every bucket is full.
   *
   * @throws {TickbucketError} for policies that cannot be; then nothing changes.
   */
  change(policies: readonly Policy[]): void
}

export function createLimits({ policies, createStore, balancers, keyOf, onDecision }: LimitsOptions): Limits {
  const key = (req: Request): string => keyOf(req as IncomingMessage)

  function under(policies: readonly Policy[]): { limiter: Limiter<Store>; limit: Middleware } {
    const limiter = createLimiter<Store>({ policies, store: createStore(policies) })
    return { limiter, limit: rateLimit({ limiter, balancers, key, onDecision }) }
  }
  let current = under(policies)
  return {
    get limiter() {
      return current.limiter
    },
    get limit() {
      return current.limit
    },
    change(policies) {
      current = under(policies)
    },
  }
}
