import { TickbucketError } from '../errors.ts'
import { asOptions, refuseUnknown, wholeNumber } from '../options.ts'
import type { Policy } from '../policy.ts'
import { make } from './make.ts'
import { policyName } from './name.ts'
import { RATE_OPTIONS, rateFrom, type RateOptions } from './rate.ts'

export interface LeakyBucketOptions extends RateOptions {
  /** `[a-z][a-z0-9_.-]{0,63}`; `default` when left out. */
  readonly name?: string | undefined
  /**
   * How many tokens may wait behind one that goes on, from 0; `(queue + 1) * periodMs` at most
   * 2^53 - 1. nginx calls it `burst`.
   */
  readonly queue: number
  /**
   * How many of the queue go on without delay, from 0 (every one waits: the default) to `queue`
   * (nobody waits). nginx calls it `delay`, and the whole queue `nodelay`.
   */
  readonly after?: number | undefined
}

const LEAKY_BUCKET_OPTIONS: readonly (keyof LeakyBucketOptions)[] = [
  'name',
  'queue',
  'after',
  ...RATE_OPTIONS,
]

/**
 * Smooths what clients send, as nginx's `limit_req` does: a request goes on at once, or waits so
 * that no more than the rate go on, or is refused when more than `queue` would wait. The wait is
 * `delayMs` of the decision; every adapter keeps it.
 *
 * @throws {TickbucketError} at once, for whatever is wrong: an unknown option, a number that is
 * not a whole one in its range, half a policy, two rates, or numbers above what is exact.
 * @example
 * leakyBucket({ queue: 20, perSecond: 10 })            // limit_req with rate=10r/s, burst=20
 * leakyBucket({ queue: 20, after: 8, perSecond: 10 })  // … burst=20 delay=8
 * leakyBucket({ queue: 20, after: 20, perSecond: 10 }) // … burst=20 nodelay
 */
export function leakyBucket(options: LeakyBucketOptions): Policy {
  const given = asOptions(options, 'leakyBucket()') as Partial<LeakyBucketOptions>
  refuseUnknown(given, LEAKY_BUCKET_OPTIONS, 'leakyBucket()')
  const name = policyName(given.name)
  if (given.queue === undefined) {
    throw new TickbucketError(
      'INCOMPLETE_POLICY',
      'queue',
      undefined,
      `A leaky bucket needs a 'queue': how many may wait behind one that goes on. 0: nobody waits, and what comes too soon is refused.`,
    )
  }
  const { rate, periodMs } = rateFrom(given, `A 'queue' needs a rate beside it`)
  const queue = wholeNumber('queue', given.queue, 0, Number.MAX_SAFE_INTEGER - 1)
  const after = given.after === undefined ? 0 : wholeNumber('after', given.after, 0, queue)
  return make({ shape: 'leaky-bucket', name, capacity: queue + 1, rate, periodMs, after }, 'queue', queue)
}
