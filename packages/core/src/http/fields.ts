import { wallClock } from '../clock.ts'
import type { Decision, Reading } from '../decision.ts'
import type { Policy } from '../policy.ts'
import type { Facts, SentHeaders } from './facts.ts'
import { PROBLEM_TYPE } from './problem.ts'

/** One header field: to be set, in place of any of that name. */
export type Field = readonly [name: string, value: string]

/** Which fields are asked for beside `X-RateLimit-Limit` and `X-RateLimit-Remaining`. */
export interface FieldOptions {
  readonly rateLimitHeaders: false | 'draft-11'
  readonly resetHeader: false | 'epoch'
}

const LIMIT = 'X-RateLimit-Limit'
/** Whole tokens left. */
export const REMAINING = 'X-RateLimit-Remaining'
const RESET = 'X-RateLimit-Reset'
/** Whole seconds after which a refused request is let through (RFC 9110, section 10.2.3). */
export const RETRY_AFTER = 'Retry-After'
const DRAFT_POLICY = 'RateLimit-Policy'
const DRAFT_STATE = 'RateLimit'

/** What describes the answer that was not given, or would tell a cache to keep a refusal. */
export const FIELDS_GONE_FROM_REFUSALS: readonly string[] = [
  RETRY_AFTER,
  'ETag',
  'Last-Modified',
  'Expires',
  'CDN-Cache-Control',
  'Surrogate-Control',
  'Content-Encoding',
  'Content-Language',
  'Content-Location',
  'Content-Disposition',
  'Content-Range',
  'Content-MD5',
  'Content-Digest',
  'Repr-Digest',
  'Transfer-Encoding',
  'Trailer',
]

/** More seconds than this overflow the timers of clients, which then come back at once: 2^31 - 1 ms. */
const MOST_SECONDS = 2_147_483
/** RFC 9651, section 3.3.1: a longer integer makes the whole field unreadable. */
const MOST_INTEGER = 999_999_999_999_999

/**
 * The fields of a counted response. `sent` holds those of limiters that ran before on the same
 * request, if any did: lists go on, and of two numbers the smaller one stays, with its own limit.
 */
export function limitFields(
  decision: Decision,
  options: FieldOptions,
  sent: SentHeaders | undefined,
): Field[] {
  const fields: Field[] = []
  const tightest = tightestOf(decision.readings)
  if (tightest === undefined) return fields
  const earlier = numberIn(sent, REMAINING)
  if (!(earlier < tightest.remaining)) {
    fields.push([LIMIT, String(tightest.policy.capacity)], [REMAINING, String(tightest.remaining)])
    // A reset that an earlier limiter told belongs to the limit that is replaced here.
    const replacesReset = !Number.isNaN(earlier) && sent?.getHeader(RESET) !== undefined
    if (options.resetHeader === 'epoch' || replacesReset)
      fields.push([RESET, epochSeconds(tightest.resetAfterMs)])
  }
  if (options.rateLimitHeaders === 'draft-11') {
    const told = decision.allowed ? decision.readings : violated(decision)
    const state = told.map(stateMember).join(', ')
    const policies = decision.readings.map(({ policy }) => policyMember(policy)).join(', ')
    fields.push([DRAFT_POLICY, appended(sent, DRAFT_POLICY, policies)])
    // A healthy policy of an earlier limiter has no place beside this refusal's Retry-After.
    fields.push([DRAFT_STATE, decision.allowed ? appended(sent, DRAFT_STATE, state) : state])
  }
  return fields
}

/**
 * What of an allowed request's fields is to be set on an answer that somebody else made, such as
 * another server or an app behind that knows nothing of them: where both say what is left, the smaller
 * number stays, with its own limit, and lists go on. `told` is that answer's head.
 */
export function fieldsBeside(fields: readonly Field[], told: SentHeaders, status: number): Field[] {
  const isRefusal = status === 429
  const theirs = numberIn(told, REMAINING)
  const ours = Number(fields.find(([name]) => name === REMAINING)?.[1])
  const keepsTheirs = isRefusal ? !Number.isNaN(theirs) : theirs < ours
  return fields.flatMap(([name, value]): Field[] => {
    const their = told.getHeader(name)
    if (name !== DRAFT_POLICY && name !== DRAFT_STATE)
      return keepsTheirs || their === value ? [] : [[name, value]]
    if (typeof their !== 'string') return [[name, value]]
    // Of what was refused behind, only that is told; and what went on from ours has it already.
    return isRefusal || their.includes(value) ? [] : [[name, `${value}, ${their}`]]
  })
}

/** When to come back, unless that is never; and that no cache may keep the refusal (RFC 6585, section 4). */
export function refusalFields(retryAfterMs: number): Field[] {
  const fields: Field[] = [['Cache-Control', 'no-store']]
  if (retryAfterMs !== Infinity) fields.unshift([RETRY_AFTER, String(wholeSeconds(retryAfterMs))])
  return fields
}

/** What describes a problem body, which is ASCII. */
export function problemFields(body: string): Field[] {
  return [
    ['Content-Type', PROBLEM_TYPE],
    ['Content-Length', String(body.length)],
  ]
}

/** Whether a request is a CORS preflight, which a browser sends by itself and cannot be told to wait for. */
export function isPreflight<Ctx>(ctx: Ctx, facts: Facts<Ctx>): boolean {
  return (
    facts.method(ctx) === 'OPTIONS' &&
    facts.header(ctx, 'origin') !== undefined &&
    facts.header(ctx, 'access-control-request-method') !== undefined
  )
}

/** The readings of the policies that refused. */
export function violated(decision: Decision): readonly Reading[] {
  return decision.readings.filter(({ retryAfterMs }) => retryAfterMs > 0)
}

/**
 * Whole seconds: rounded up and at least 1, so that they are never too few, but for waits above 24.8
 * days. Those are told as the most that clients can wait for; whoever comes back is told the rest.
 */
export function wholeSeconds(ms: number): number {
  return Math.min(Math.max(1, Math.ceil(ms / 1000)), MOST_SECONDS)
}

function tightestOf(readings: readonly Reading[]): Reading | undefined {
  let tightest = readings[0]
  for (const reading of readings) {
    if (reading.remaining < tightest!.remaining) tightest = reading
  }
  return tightest
}

function epochSeconds(afterMs: number): string {
  return String(Math.ceil((wallClock() + afterMs) / 1000))
}

/** `q` at once from rest, and `q` per `w` in the long run: rounded up, so never more than is true. */
function policyMember({ name, capacity, rate, periodMs }: Policy): string {
  const window = Math.max(1, Math.ceil((capacity * periodMs) / (1000 * rate)))
  return `"${name}";q=${Math.min(capacity, MOST_INTEGER)};w=${Math.min(window, MOST_INTEGER)}`
}

/** `r` tokens now, and one more within `t` seconds: whole ones, rounded up, as the field wants them. */
function stateMember({ policy, remaining, nextTokenAfterMs }: Reading): string {
  const time = nextTokenAfterMs === 0 ? '' : `;t=${wholeSeconds(nextTokenAfterMs)}`
  return `"${policy.name}";r=${Math.min(remaining, MOST_INTEGER)}${time}`
}

function appended(sent: SentHeaders | undefined, name: string, members: string): string {
  const earlier = sent?.getHeader(name)
  return typeof earlier === 'string' && earlier !== '' ? `${earlier}, ${members}` : members
}

function numberIn(sent: SentHeaders | undefined, name: string): number {
  const value = sent?.getHeader(name)
  return typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN
}
