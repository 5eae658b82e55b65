import { TickbucketError } from '../errors.ts'
import { asOptions, refuseUnknown, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import { make } from './make.ts'
import { policyName } from './name.ts'
import { RATE_OPTIONS, rateFrom, type RateOptions } from './rate.ts'

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

/** The options that make up one token bucket, for whoever takes them among others. */
export const TOKEN_BUCKET_OPTIONS: readonly (keyof TokenBucketOptions)[] = [
  'name',
  'capacity',
  ...RATE_OPTIONS,
]

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
  const { rate, periodMs } = rateFrom(options, `A 'capacity' needs a rate beside it`)
  const capacity = wholeNumber('capacity', options.capacity, 1, Number.MAX_SAFE_INTEGER)
  return make({ shape: 'token-bucket', name, capacity, rate, periodMs }, 'capacity', capacity)
}
