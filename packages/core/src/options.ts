import { show, TickbucketError } from './errors.ts'

/**
 * Refuses options that nobody reads, each with the nearest name that somebody does. `where` is
 * how a message names the call, such as `rateLimit()`.
 */
export function refuseUnknown(options: object, known: readonly string[], where: string): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const elsewhere = ELSEWHERE[name]?.split(' ')
    const nearest = elsewhere?.find((candidate) => known.includes(candidate)) ?? nearestName(name, known)
    const hint = nearest === undefined ? `It takes ${known.join(', ')}.` : `Did you mean '${nearest}'?`
    const value = (options as Record<string, unknown>)[name]
    throw new TickbucketError('UNKNOWN_OPTION', name, value, `${where} takes no option '${name}'. ${hint}`)
  }
}

/** What others call a thing, and what it is called here, shape by shape. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  __proto__: null as never,
  max: 'capacity limit queue',
  limit: 'capacity queue',
  capacity: 'limit queue',
  burst: 'queue capacity',
  delay: 'after',
  nodelay: 'after',
  points: 'capacity limit queue',
  tokensPerInterval: 'rate limit',
  rate: 'limit',
  windowMs: 'periodMs',
  periodMs: 'windowMs',
  timeWindow: 'periodMs windowMs',
  duration: 'periodMs windowMs',
  interval: 'periodMs windowMs',
  keyGenerator: 'key',
  id: 'key',
  skip: 'key',
  allowList: 'key',
  whitelist: 'key',
  weight: 'cost',
  handler: 'onRefused',
  message: 'onRefused',
  errorResponseBuilder: 'onRefused',
  standardHeaders: 'rateLimitHeaders',
  enableDraftSpec: 'rateLimitHeaders',
  passOnStoreError: 'onStoreError',
  skipOnError: 'onStoreError',
  ipv6Subnet: 'ipv6Prefix',
}

/** Options must be a plain object of names; leaving them out is leaving all of them out. */
export function asOptions(options: unknown, where: string): object {
  if (options === undefined) return {}
  if (isPlainObject(options)) return options
  throw new TickbucketError(
    'INVALID_OPTION',
    'options',
    options,
    `${where} takes a plain object of options, not ${show(options)}.${hintFor(options)}`,
  )
}

/** An object of no class, of whichever realm; a namespace of a module is one, too. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function hintFor(options: unknown): string {
  return show(options) === 'a promise' ? ' Did you forget to await it?' : ''
}

/** A whole number from `least` to `most`, or an error that names the option and what was seen. */
export function wholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new TickbucketError(
    'INVALID_OPTION',
    option,
    value,
    `'${option}' must be a whole number from ${least} to ${most}, not ${show(value)}.`,
  )
}

/** One of a few values, the first of them if left out, or an error that lists them. */
export function oneOf<const L extends readonly [unknown, ...unknown[]]>(
  option: string,
  value: unknown,
  allowed: L,
): L[number] {
  if (value === undefined) return allowed[0]
  if (allowed.includes(value)) return value
  throw new TickbucketError(
    'INVALID_OPTION',
    option,
    value,
    `'${option}' must be ${allowed.map(show).join(' or ')}, not ${show(value)}.`,
  )
}

/** A function, or left out, or an error that says what it is for. */
export function optionalFunction<F>(option: string, value: F | undefined, takes: string): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw new TickbucketError(
    'INVALID_OPTION',
    option,
    value,
    `'${option}' must be a function ${takes}, not ${show(value)}.`,
  )
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 2))
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= least) {
      least = distance - 1
      nearest = candidate
    }
  }
  return nearest
}

/** Levenshtein's distance: insertions, deletions and substitutions from `a` to `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const letter of a) {
    const next = [(row[0] ?? 0) + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const substituted = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
