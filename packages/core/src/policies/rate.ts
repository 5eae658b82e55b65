import { TickbucketError } from '../errors.ts'
import { wholeNumber } from '../options.ts'

/** So many a second, minute, hour or day: one of these, as whole tokens. */
export interface PerTimeOptions {
  readonly perSecond?: number | undefined
  readonly perMinute?: number | undefined
  readonly perHour?: number | undefined
  readonly perDay?: number | undefined
}

/** How fast tokens flow in: so many per unit of time, or `rate` tokens per `periodMs`. */
export interface RateOptions extends PerTimeOptions {
  readonly rate?: number | undefined
  readonly periodMs?: number | undefined
}

/** What makes up a window: so many per unit of time, or `limit` tokens per `windowMs`. */
export interface WindowRateOptions extends PerTimeOptions {
  readonly limit?: number | undefined
  readonly windowMs?: number | undefined
}

/** So many tokens, and the whole milliseconds that they are for. */
export interface Rate {
  /** The option that says how many. */
  readonly option: string
  readonly rate: number
  readonly periodMs: number
}

const PERIODS = { perSecond: 1000, perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 } as const
type PeriodName = keyof typeof PERIODS
const PERIOD_NAMES = Object.keys(PERIODS) as PeriodName[]

export const RATE_OPTIONS: readonly (keyof RateOptions)[] = [...PERIOD_NAMES, 'rate', 'periodMs']
export const WINDOW_RATE_OPTIONS: readonly (keyof WindowRateOptions)[] = [
  ...PERIOD_NAMES,
  'limit',
  'windowMs',
]

/** The rate at which tokens flow in. `needs` says who needs one, if none is given. */
export function rateFrom(options: RateOptions, needs: string): Rate {
  return rateOf({ ...options }, ['rate', 'periodMs'], needs, 'how fast tokens flow in. Give one rate.')
}

/** The limit of a window, and its length. */
export function windowFrom(options: WindowRateOptions): Rate {
  const needs = 'A window needs its limit and its length'
  return rateOf({ ...options }, ['limit', 'windowMs'], needs, 'what the limit of a window is. Give one.')
}

type Pair = readonly ['rate', 'periodMs'] | readonly ['limit', 'windowMs']

function rateOf(
  options: RateOptions & WindowRateOptions,
  pair: Pair,
  needs: string,
  saidTwice: string,
): Rate {
  const [amount, time] = pair
  const given = [...PERIOD_NAMES, ...pair].filter((name) => options[name] !== undefined)
  const [first] = given
  if (first === undefined) {
    const choice = `one of ${PERIOD_NAMES.join(', ')}, or '${amount}' with '${time}'`
    throw new TickbucketError('INCOMPLETE_POLICY', 'perMinute', undefined, `${needs}: ${choice}.`)
  }
  const isPair = given.length === 2 && given.includes(amount) && given.includes(time)
  if (given.length > 1 && !isPair) {
    const names = given.map((name) => `'${name}'`).join(' and ')
    const message = `${names} each say ${saidTwice}`
    throw new TickbucketError('CONFLICTING_OPTIONS', first, options[first], message)
  }
  if (isPair) return { option: amount, rate: whole(amount, options), periodMs: whole(time, options) }
  if (first === amount || first === time) {
    const other = first === amount ? time : amount
    const message = `'${first}' needs '${other}' beside it: so many tokens per so many milliseconds.`
    throw new TickbucketError('INCOMPLETE_POLICY', other, undefined, message)
  }
  return { option: first, rate: whole(first, options), periodMs: PERIODS[first as PeriodName] }
}

function whole<K extends string>(name: K, options: { readonly [name in K]?: unknown }): number {
  return wholeNumber(name, options[name], 1, Number.MAX_SAFE_INTEGER)
}
