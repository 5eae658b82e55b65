import { show, TickbucketError } from './errors.ts'
import { storeKey } from './key.ts'
import { asOptions, refuseUnknown } from './options.ts'
import { asPolicies } from './policies/list.ts'
import {
  type OpenTokenBucketOptions,
  policyFromOptions,
  TOKEN_BUCKET_OPTIONS,
} from './policies/token-bucket.ts'
import type { Policy } from './policy.ts'
import { memoryStore } from './stores/memory-store.ts'
import { claimPolicyNames } from './stores/policy-names.ts'
import { isStore, type Store, type SyncStore } from './stores/store.ts'

/** One token bucket, or a list of policies in its place. Neither: 10 tokens, 60 per minute. */
export interface PolicyOptions extends OpenTokenBucketOptions {
  readonly policies?: readonly Policy[] | undefined
}

export interface LimiterOptions<S extends Store = SyncStore> extends PolicyOptions {
  /** Who keeps the buckets; a memory store of its own when left out. */
  readonly store?: S | undefined
}

/** Policies and a store, with keys. Answers at once over a store that does, else with a promise. */
export interface Limiter<S extends Store = SyncStore> {
  readonly policies: readonly Policy[]
  readonly store: S
  /**
   * Takes `cost` tokens (1 when left out) for `key`, from every policy's bucket or from none.
   *
   * @throws {TickbucketError} `INVALID_KEY` or `INVALID_COST`; nothing is taken then.
   */
  take(key: string, cost?: number): ReturnType<S['take']>
  /** Reads the buckets of `key`, takes nothing. */
  peek(key: string): ReturnType<S['take']>
  /** Forgets `key`: its buckets are full again. */
  reset(key: string): ReturnType<S['reset']>
}

/**
 * The way in without a framework: for sockets, jobs, or whatever has a key.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * const limiter = createLimiter({ capacity: 10, perMinute: 60 })
 * const decision = limiter.take('client-7')
 * if (!decision.allowed) console.log(`come back in ${decision.retryAfterMs} ms`)
 */
export function createLimiter<S extends Store = SyncStore>(options: LimiterOptions<S> = {}): Limiter<S> {
  const given = asOptions(options, 'createLimiter()') as LimiterOptions<S>
  refuseUnknown(given, LIMITER_OPTIONS, 'createLimiter()')
  const policies = policiesFrom(given)
  const store = storeFrom(given.store)
  claimPolicyNames(store, policies)
  return {
    policies,
    store,
    take: (key, cost = 1) =>
      store.take(checkedKey(key), checkedCost(cost), policies) as ReturnType<S['take']>,
    peek: (key) => store.take(checkedKey(key), 0, policies) as ReturnType<S['take']>,
    reset: (key) => store.reset(checkedKey(key), policies) as ReturnType<S['reset']>,
  }
}

const LIMITER_OPTIONS = [...TOKEN_BUCKET_OPTIONS, 'policies', 'store'] as const

/** The policies that options describe, as one token bucket or as a list. */
export function policiesFrom(options: PolicyOptions): readonly Policy[] {
  if (options.policies === undefined) return Object.freeze([policyFromOptions(options)])
  refuseBoth(options, 'policies')
  return asPolicies(options.policies)
}

/** A list of policies, or a limiter, stands in place of the options of one token bucket. */
export function refuseBoth(options: PolicyOptions, instead: string): void {
  const both = TOKEN_BUCKET_OPTIONS.find((name) => options[name] !== undefined)
  if (both === undefined) return
  throw new TickbucketError(
    'CONFLICTING_OPTIONS',
    both,
    options[both],
    `'${both}' belongs to a limit that '${instead}' says already. Give one of them.`,
  )
}

/** The given store, or a memory store of one's own. */
export function storeFrom<S extends Store>(store: S | undefined): S {
  if (store === undefined) return memoryStore() as Store as S
  if (isStore(store)) return store
  throw new TickbucketError(
    'INVALID_OPTION',
    'store',
    store,
    `'store' must be a store, with take() and reset(), not ${show(store)}.`,
  )
}

/** @throws {TickbucketError} `INVALID_COST` unless `cost` is a whole number from 0. */
export function checkedCost(cost: unknown): number {
  if (typeof cost === 'number' && cost >= 0 && Number.isSafeInteger(cost)) return cost
  throw new TickbucketError(
    'INVALID_COST',
    'cost',
    cost,
    `'cost' must be a whole number from 0, not ${show(cost)}. Nothing was taken.`,
  )
}

/** @throws {TickbucketError} `INVALID_KEY` unless `key` is a string. */
export function checkedKey(key: unknown): string {
  if (typeof key === 'string') return storeKey(key)
  throw new TickbucketError(
    'INVALID_KEY',
    'key',
    key,
    `'key' must be a string, not ${show(key)}. Nothing was taken.`,
  )
}
