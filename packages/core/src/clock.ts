import { show, TickbucketError } from './errors.ts'
import { optionalFunction } from './options.ts'

// What every runtime has, whatever else it has: this package is checked without the types of any.
declare const performance: Performance
interface Performance {
  now(): number
  readonly timeOrigin: number
}

/** Tells the time in whole milliseconds. Its origin is its own business; only differences count. */
export type Clock = () => number

/**
 * The time since the epoch as of when the process started, moved on by the monotonic clock: a
 * changed system time does not move it. Whole milliseconds.
 */
export const systemClock: Clock = () => {
  if (timer === undefined) {
    timer = performance
    startedAt = timer.timeOrigin
  }
  return Math.floor(startedAt + timer.now())
}

// Looked up once, at the first reading: in Node both are getters that take as long as the reading.
let timer: Performance | undefined
let startedAt = 0

/** The system's own idea of the time since the epoch, for the one field that must agree with a calendar. */
export const wallClock: Clock = () => Date.now()

/**
 * A clock that never runs back, whatever the one below does: it tells the latest time that was
 * seen, and whole milliseconds even where that one tells fractions. What is no time is not heard.
 */
export function neverBack(clock: Clock): Clock {
  let latest = -Number.MAX_SAFE_INTEGER
  return () => {
    const now = Math.floor(clock())
    if (now > latest && now <= Number.MAX_SAFE_INTEGER) latest = now
    return latest
  }
}

/** The given clock, or the system's. A clock that tells no time would stop every refill. */
export function clockFrom(clock: Clock | undefined): Clock {
  const checked = optionalFunction('clock', clock, '() => milliseconds') ?? systemClock
  const time: unknown = checked()
  if (typeof time === 'number' && Number.isSafeInteger(Math.floor(time))) return checked
  throw new TickbucketError(
    'INVALID_OPTION',
    'clock',
    time,
    `'clock' must tell the time in milliseconds, not ${show(time)}.`,
  )
}
