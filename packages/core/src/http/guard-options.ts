import type { Decision } from '../decision.ts'
import { show, TickbucketError } from '../errors.ts'
import {
  checkedKey,
  type Limiter,
  type PolicyOptions,
  policiesFrom,
  refuseBoth,
  storeFrom,
} from '../limiter.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { asOptions, oneOf, optionalFunction, refuseUnknown, wholeNumber } from '../options.ts'
import { asPolicies } from '../policies/list.ts'
import { TOKEN_BUCKET_OPTIONS } from '../policies/token-bucket.ts'
import type { Policy } from '../policy.ts'
import { claimPolicyNames } from '../stores/policy-names.ts'
import { isStore, type Store } from '../stores/store.ts'
import { IPV6_PREFIX } from './client-key.ts'
import type { FieldOptions } from './fields.ts'

/** One answer, for logs and metrics. */
export interface DecisionEvent<Ctx> {
  readonly ctx: Ctx
  readonly key: string
  readonly cost: number
  readonly decision: Decision
  /** Whether the request was answered with the refusal; `false` for those let through, and in a dry run. */
  readonly refused: boolean
  /** What the store threw or rejected with, if it failed. */
  readonly error?: unknown
}

/**
 * The options of every adapter. `Ctx` is the framework's own request or context, `Res` its
 * response where that is another object.
 */
export interface GuardOptions<Ctx, Res = Ctx> extends Omit<PolicyOptions, 'policies'> {
  /** In place of one token bucket: a list of policies, or a function that gives a request's list. */
  readonly policies?: readonly Policy[] | ((ctx: Ctx) => MaybePromise<readonly Policy[]>) | undefined
  /** In place of policies and a store: a limiter that others share. */
  readonly limiter?: Limiter<Store> | undefined
  /** Names the client; `null`: this request is not limited. The client's address when left out. */
  readonly key?: ((ctx: Ctx) => MaybePromise<string | null>) | undefined
  /** Whole tokens that a request takes, from 0. 1 when left out. */
  readonly cost?: number | ((ctx: Ctx) => MaybePromise<number>) | undefined
  /** Who keeps the buckets; a memory store of its own when left out. */
  readonly store?: Store | undefined
  /** How many bits of an IPv6 address name a client, 32 to 128. 56 when left out. */
  readonly ipv6Prefix?: number | undefined
  /** `'draft-11'` adds `RateLimit` and `RateLimit-Policy`. */
  readonly rateLimitHeaders?: false | 'draft-11' | undefined
  /** `'epoch'` adds `X-RateLimit-Reset`: when the bucket is full, in whole seconds since the epoch. */
  readonly resetHeader?: false | 'epoch' | undefined
  /** Answers a refused request in place of the 429 with a problem body; its headers are already set. */
  readonly onRefused?: ((ctx: Ctx, decision: Decision, response: Res) => unknown) | undefined
  /** When the store fails: `'local'` (the default) lets a memory store stand in, `'allow'`, `'refuse'` answers 503. */
  readonly onStoreError?: 'local' | 'allow' | 'refuse' | undefined
  /** How many balancers share the store, 1 to 10,000: while it fails, each keeps its share. 1 when left out. */
  readonly balancers?: number | undefined
  /** Decides, reports and sets headers, but refuses nothing. */
  readonly dryRun?: boolean | undefined
  /** Sees every decision. One that throws breaks nothing. */
  readonly onDecision?: ((event: DecisionEvent<Ctx>) => unknown) | undefined
}

type Take = (key: string, cost: number, policies: readonly Policy[]) => MaybePromise<Decision>

/** The options, checked, with every default in its place. */
export interface GuardSettings<Ctx, Res> extends FieldOptions {
  /** Takes tokens for a key as the user gave it. */
  readonly take: Take
  readonly store: Store
  readonly policies: readonly Policy[] | ((ctx: Ctx) => MaybePromise<readonly Policy[]>)
  readonly key: ((ctx: Ctx) => MaybePromise<string | null>) | undefined
  readonly cost: number | ((ctx: Ctx) => MaybePromise<number>)
  readonly ipv6Prefix: number
  readonly onRefused: ((ctx: Ctx, decision: Decision, response: Res) => unknown) | undefined
  readonly onStoreError: 'local' | 'allow' | 'refuse'
  readonly balancers: number
  readonly dryRun: boolean
  readonly onDecision: ((event: DecisionEvent<Ctx>) => unknown) | undefined
}

const GUARD_OPTIONS: readonly string[] = [
  ...TOKEN_BUCKET_OPTIONS,
  'policies',
  'limiter',
  'key',
  'cost',
  'store',
  'ipv6Prefix',
  'rateLimitHeaders',
  'resetHeader',
  'onRefused',
  'onStoreError',
  'balancers',
  'dryRun',
  'onDecision',
]

/** @throws {TickbucketError} for the first thing that is wrong; then no policy's name is claimed. */
export function guardSettings<Ctx, Res>(options: GuardOptions<Ctx, Res>): GuardSettings<Ctx, Res> {
  const given = asOptions(options, 'rateLimit()') as GuardOptions<Ctx, Res>
  refuseUnknown(given, GUARD_OPTIONS, 'rateLimit()')
  const settings: GuardSettings<Ctx, Res> = {
    ...whatToLimit(given),
    key: optionalFunction('key', given.key, '(ctx) => string or null'),
    cost: costFrom(given.cost),
    ipv6Prefix:
      given.ipv6Prefix === undefined ? IPV6_PREFIX : wholeNumber('ipv6Prefix', given.ipv6Prefix, 32, 128),
    rateLimitHeaders: oneOf('rateLimitHeaders', given.rateLimitHeaders, [false, 'draft-11']),
    resetHeader: oneOf('resetHeader', given.resetHeader, [false, 'epoch']),
    onRefused: optionalFunction('onRefused', given.onRefused, '(ctx, decision, response) => answer'),
    onStoreError: oneOf('onStoreError', given.onStoreError, ['local', 'allow', 'refuse']),
    balancers: given.balancers === undefined ? 1 : wholeNumber('balancers', given.balancers, 1, 10_000),
    dryRun: oneOf('dryRun', given.dryRun, [false, true]),
    onDecision: optionalFunction('onDecision', given.onDecision, '(event) => nothing'),
  }
  if (typeof settings.policies !== 'function') {
    refuseCostAbove(settings.cost, settings.policies)
    claimPolicyNames(settings.store, settings.policies)
  }
  return settings
}

type WhatToLimit<Ctx> = Pick<GuardSettings<Ctx, never>, 'policies' | 'store' | 'take'>

function whatToLimit<Ctx, Res>(options: GuardOptions<Ctx, Res>): WhatToLimit<Ctx> {
  const { limiter, policies } = options
  if (limiter !== undefined) return fromLimiter(limiter, options)
  const store = storeFrom(options.store)
  const take: Take = (key, cost, list) => store.take(checkedKey(key), cost, list)
  if (typeof policies !== 'function') return { store, take, policies: policiesFrom(options as PolicyOptions) }
  refuseBoth(options as PolicyOptions, 'policies')
  return { store, take, policies }
}

function fromLimiter<Ctx, Res>(limiter: Limiter<Store>, options: GuardOptions<Ctx, Res>): WhatToLimit<Ctx> {
  refuseBoth(options as PolicyOptions, 'limiter')
  const both = (['policies', 'store'] as const).find((name) => options[name] !== undefined)
  if (both !== undefined) {
    throw new TickbucketError(
      'CONFLICTING_OPTIONS',
      both,
      options[both],
      `'limiter' brings its own '${both}'. Give it to createLimiter() instead.`,
    )
  }
  if (!isLimiter(limiter)) {
    throw new TickbucketError(
      'INVALID_OPTION',
      'limiter',
      limiter,
      `'limiter' must be what createLimiter() gives, not ${show(limiter)}.`,
    )
  }
  return {
    policies: asPolicies(limiter.policies),
    store: limiter.store,
    take: (key, cost) => limiter.take(key, cost),
  }
}

function isLimiter(value: unknown): value is Limiter<Store> {
  const { policies, store, take } = (value ?? {}) as Partial<Limiter<Store>>
  return typeof take === 'function' && isStore(store) && Array.isArray(policies)
}

function costFrom<Ctx>(cost: GuardOptions<Ctx>['cost']): GuardSettings<Ctx, never>['cost'] {
  if (cost === undefined) return 1
  return typeof cost === 'function' ? cost : wholeNumber('cost', cost, 0, Number.MAX_SAFE_INTEGER)
}

/** A cost that no bucket can ever hold would refuse every request. */
function refuseCostAbove(cost: unknown, policies: readonly Policy[]): void {
  const small = policies.find(({ capacity }) => typeof cost === 'number' && cost > capacity)
  if (small === undefined) return
  throw new TickbucketError(
    'INVALID_OPTION',
    'cost',
    cost,
    `'cost' is ${show(cost)}, but the policy '${small.name}' holds ${small.capacity} tokens at most: every request would be refused.`,
  )
}
