import { asOptions, refuseUnknown } from '../options.ts'
import type { Policy } from '../policy.ts'
import { make } from './make.ts'
import { policyName } from './name.ts'
import { WINDOW_RATE_OPTIONS, windowFrom, type WindowRateOptions } from './rate.ts'

/**
 * A window's limit and length in one: `perMinute: 100` is at most 100 in a minute. Other lengths
 * are `limit` per `windowMs`; `limit * windowMs` is at most 2^53 - 1.
 */
export interface WindowOptions extends WindowRateOptions {
  /** `[a-z][a-z0-9_.-]{0,63}`; `default` when left out. */
  readonly name?: string | undefined
}

const WINDOW_OPTIONS: readonly (keyof WindowOptions)[] = ['name', ...WINDOW_RATE_OPTIONS]

/**
 * At most the limit in any window of that length, wherever it begins, ever. A client costs as much
 * memory as it has taken in the last window, up to `limit` times.
 *
 * @throws {TickbucketError} at once, for whatever is wrong: an unknown option, a number that is
 * not a whole positive one, a limit without a length, two limits, or numbers above what is exact.
 * @example
 * slidingWindow({ perHour: 100 })
 * slidingWindow({ name: 'quarter', limit: 100, windowMs: 900_000 })
 */
export function slidingWindow(options: WindowOptions): Policy {
  return windowOf('sliding-window', options, 'slidingWindow()')
}

/**
 * At most the limit in each window; windows follow one another from the epoch on, so an hour's
 * begin on the hour of UTC. Two numbers a client, whatever the limit. Around a boundary twice the
 * limit can come at once: the end of one window, and the start of the next.
 *
 * @throws {TickbucketError} at once, for whatever is wrong, as `slidingWindow` does.
 * @example
 * fixedWindow({ perDay: 1000 })
 * fixedWindow({ name: 'quarter', limit: 100, windowMs: 900_000 })
 */
export function fixedWindow(options: WindowOptions): Policy {
  return windowOf('fixed-window', options, 'fixedWindow()')
}

function windowOf(shape: 'sliding-window' | 'fixed-window', options: WindowOptions, where: string): Policy {
  const given = asOptions(options, where) as WindowOptions
  refuseUnknown(given, WINDOW_OPTIONS, where)
  const name = policyName(given.name)
  const { option, rate, periodMs } = windowFrom(given)
  return make({ shape, name, capacity: rate, rate, periodMs }, option, rate)
}
