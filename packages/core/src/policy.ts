import { show, TickbucketError } from './errors.ts'
import { asOptions, refuseUnknown, wholeNumber } from './options.ts'
import { sha256 } from './sha256.ts'

/** A promise to clients. Plain frozen data: make one with {@link tokenBucket}. */
export interface Policy {
  readonly shape: 'token-bucket'
  /** Names the policy on the wire, and its buckets in a store. */
  readonly name: string
  /** The most tokens that a bucket holds: the allowed burst. */
  readonly capacity: number
  /** Tokens that flow in, evenly, per `periodMs`. */
  readonly rate: number
  /** Whole milliseconds. One token is `periodMs` ticks. */
  readonly periodMs: number
}

/** How fast tokens flow in: one of these, as whole tokens, or `rate` tokens per `periodMs`. */
export interface RateOptions {
  readonly perSecond?: number | undefined
  readonly perMinute?: number | undefined
  readonly perHour?: number | undefined
  readonly perDay?: number | undefined
  readonly rate?: number | undefined
  readonly periodMs?: number | undefined
}

export interface TokenBucketOptions extends RateOptions {
  /** `[a-z][a-z0-9_.-]{0,63}`; `default` when left out. */
  readonly name?: string | undefined
  /** The most tokens that a bucket holds, at least 1; `capacity * periodMs` at most 2^53 - 1. */
  readonly capacity: number
}

/** As they may come from a caller who has left something out. */
export interface OpenTokenBucketOptions extends Omit<TokenBucketOptions, 'capacity'> {
  readonly capacity?: number | undefined
}

const PERIODS = { perSecond: 1000, perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 } as const
type PeriodName = keyof typeof PERIODS

const RATE_OPTIONS = [...(Object.keys(PERIODS) as PeriodName[]), 'rate', 'periodMs'] as const

/** The options that make up one token bucket, for whoever takes them among others. */
export const TOKEN_BUCKET_OPTIONS: readonly (keyof TokenBucketOptions)[] = [
  'name',
  'capacity',
  ...RATE_OPTIONS,
]

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/

/** Policies known to be whole. One that another copy of this package made is made anew, once more checked. */
const made = new WeakSet<object>()

/** What an adapter limits to when it is told nothing: a burst of 10, and 60 per minute. */
const DEFAULT_RATE = { capacity: 10, perMinute: 60 } as const

/**
 * A bucket of at most `capacity` tokens that refills evenly. It starts full, so a client may spend
 * `capacity` at once and then the rate.
 *
 * @throws {TickbucketError} at once, for whatever is wrong: an unknown option, a number that is
 * not a whole positive one, half a policy, two rates, or numbers above what is exact.
 * @example
 * tokenBucket({ name: 'burst', capacity: 10, perMinute: 60 })
 * tokenBucket({ name: 'daily', capacity: 1000, perDay: 1000 })
 * tokenBucket({ name: 'odd', capacity: 1, rate: 7, periodMs: 13_000 })
 */
export function tokenBucket(options: TokenBucketOptions): Policy {
  const given = asOptions(options, 'tokenBucket()') as OpenTokenBucketOptions
  refuseUnknown(given, TOKEN_BUCKET_OPTIONS, 'tokenBucket()')
  return tokenBucketFrom(given)
}

/** The one policy that an adapter's own options describe; the default one if they describe none. */
export function policyFromOptions(options: OpenTokenBucketOptions): Policy {
  const silent = ['capacity', ...RATE_OPTIONS].every((name) => options[name as 'capacity'] === undefined)
  return tokenBucketFrom(silent ? { name: options.name, ...DEFAULT_RATE } : options)
}

/** A list of policies as a caller gives it, checked: at least one, each whole, no name twice. */
export function asPolicies(list: unknown): readonly Policy[] {
  if (!Array.isArray(list) || list.length === 0) {
    throw new TickbucketError(
      'INVALID_OPTION',
      'policies',
      list,
      `'policies' must be a list of at least one policy, not ${show(list)}. Make them with tokenBucket().`,
    )
  }
  const policies = Array.from(list, asPolicy)
  for (const [index, { name }] of policies.entries()) {
    if (policies.findIndex((other) => other.name === name) !== index) {
      throw new TickbucketError(
        'DUPLICATE_POLICY',
        'policies',
        name,
        `Two policies are named '${name}'. Their buckets would be one: give each a name of its own.`,
      )
    }
  }
  return Object.freeze(policies)
}

/** The words in which a message tells one policy from another: `10 tokens, 60 per 60000 ms`. */
export function describePolicy(policy: Policy): string {
  return `${policy.capacity} tokens, ${policy.rate} per ${policy.periodMs} ms`
}

/**
 * A policy's name made of any text, such as a route: readable, and another one for another text but once in
 * four billion.
 *
 * @example
 * policyNameOf('POST /login') // 'post-login.' and eight hex digits
 */
export function policyNameOf(text: string): string {
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-$/g, '')
  return `${readable.slice(0, 40) || 'policy'}.${sha256(text).slice(0, 8)}`
}

function tokenBucketFrom(options: OpenTokenBucketOptions): Policy {
  const name = policyName(options.name)
  if (options.capacity === undefined) {
    throw new TickbucketError(
      'INCOMPLETE_POLICY',
      'capacity',
      undefined,
      `A rate needs a 'capacity' beside it: the most tokens that a client may save up and spend at once.`,
    )
  }
  const { rate, periodMs } = rateFrom(options)
  const capacity = wholeNumber('capacity', options.capacity, 1, Number.MAX_SAFE_INTEGER)
  if (capacity * periodMs > Number.MAX_SAFE_INTEGER) {
    throw new TickbucketError(
      'POLICY_TOO_LARGE',
      'capacity',
      capacity,
      `'capacity' times the period must stay below 2^53 to be exact; with ${periodMs} ms it may be ${Math.floor(Number.MAX_SAFE_INTEGER / periodMs)} at most, not ${capacity}.`,
    )
  }
  const policy: Policy = Object.freeze({ shape: 'token-bucket', name, capacity, rate, periodMs })
  made.add(policy)
  return policy
}

function policyName(name: unknown): string {
  if (name === undefined) return 'default'
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new TickbucketError(
    'INVALID_OPTION',
    'name',
    name,
    `'name' must match ${NAME.source}, which ${show(name)} does not.`,
  )
}

function rateFrom(options: RateOptions): { rate: number; periodMs: number } {
  const given = RATE_OPTIONS.filter((name) => options[name] !== undefined)
  const [first] = given
  if (first === undefined) {
    throw new TickbucketError(
      'INCOMPLETE_POLICY',
      'perMinute',
      undefined,
      `A 'capacity' needs a rate beside it: one of ${Object.keys(PERIODS).join(', ')}, or 'rate' with 'periodMs'.`,
    )
  }
  const isPair = given.includes('rate') && given.includes('periodMs') && given.length === 2
  if (given.length > 1 && !isPair) {
    throw new TickbucketError(
      'CONFLICTING_OPTIONS',
      first,
      options[first],
      `${given.map((name) => `'${name}'`).join(' and ')} each say how fast tokens flow in. Give one rate.`,
    )
  }
  if (isPair) {
    return {
      rate: wholeNumber('rate', options.rate, 1, Number.MAX_SAFE_INTEGER),
      periodMs: wholeNumber('periodMs', options.periodMs, 1, Number.MAX_SAFE_INTEGER),
    }
  }
  if (first === 'rate' || first === 'periodMs') {
    const other = first === 'rate' ? 'periodMs' : 'rate'
    throw new TickbucketError(
      'INCOMPLETE_POLICY',
      other,
      undefined,
      `'${first}' needs '${other}' beside it: 'rate' tokens flow in per 'periodMs' milliseconds.`,
    )
  }
  return { rate: wholeNumber(first, options[first], 1, Number.MAX_SAFE_INTEGER), periodMs: PERIODS[first] }
}

function asPolicy(value: unknown): Policy {
  if (typeof value !== 'object' || value === null || (value as Partial<Policy>).shape !== 'token-bucket') {
    throw new TickbucketError(
      'INVALID_OPTION',
      'policies',
      value,
      `'policies' holds ${show(value)}, which is not a policy. Make each with tokenBucket().`,
    )
  }
  if (made.has(value)) return value as Policy
  const { shape: _, ...options } = value as Policy
  return tokenBucket(options)
}
