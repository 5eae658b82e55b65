/**
 * Everything that can be wrong with what a caller hands over. Each code has a page,
 * `docs/errors/<code>.md`, that says what happened and the way out.
 */
export type ErrorCode =
  | 'UNKNOWN_OPTION'
  | 'INVALID_OPTION'
  | 'INCOMPLETE_POLICY'
  | 'CONFLICTING_OPTIONS'
  | 'POLICY_TOO_LARGE'
  | 'DUPLICATE_POLICY'
  | 'POLICY_CONFLICT'
  | 'INVALID_KEY'
  | 'INVALID_COST'
  | 'STORE_ANSWER'

/**
 * A mistake in how the library is used. Recognise it by `code`, not by class: two copies of this
 * package may live in one process. A refusal is never an error, and a store's own failure keeps
 * the store's own error.
 *
 * @example
 * try { rateLimit({ capacity: 0, perMinute: 60 }) }
 * catch (error) { error.code === 'INVALID_OPTION' && error.option === 'capacity' && error.value === 0 }
 */
export class TickbucketError extends Error {
  override readonly name = 'TickbucketError'
  /** Which mistake it is. */
  readonly code: ErrorCode
  /** The option or argument at fault, as the caller spells it. */
  readonly option: string
  /** What the caller gave for it. */
  readonly value: unknown

  constructor(code: ErrorCode, option: string, value: unknown, message: string) {
    super(`${message} [${code}, see docs/errors/${code}.md]`)
    this.code = code
    this.option = option
    this.value = value
  }
}

const LONGEST_SHOWN = 60

/** A value as a message shows it: quoted if it is text, short whatever it is, and never an exception. */
export function show(value: unknown): string {
  const text = shownWhole(value)
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`
}

function shownWhole(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_SHOWN + 1))
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return typeof (value as { then?: unknown }).then === 'function' ? 'a promise' : 'an object'
}
