import {
  type BucketState,
  freshState,
  type Policy,
  REMAINING,
  RETRY_AFTER,
  take,
  tokenBucket,
  wholeSeconds,
} from '@tickbucket/core'

/** A line that is no command: what is wrong with it, in words. Nothing has changed. */
export class BadLine extends Error {}

/**
 * Understands the commands of `tickbucket shell`, one line at a time. Every client that it has seen
 * is kept, since a script's clock may step back: only under a clock that never does is it lossless
 * to forget a full bucket.
 */
export interface Shell {
  /**
   * Runs one command and gives its answer, '' if it has none. The text of a line is its bytes, one
   * a character, so that no two clients are taken for one.
   *
   * @throws {BadLine} if it is no command; then nothing has changed.
   */
  run(line: string): string
}

const MINUTE_MS = 60_000
const MOST = Number.MAX_SAFE_INTEGER

/** Commands, the words that each takes, and an example for whoever gets them wrong. */
const COMMANDS: Readonly<Record<string, { readonly words: number; readonly usage: string }>> = {
  LIMIT: { words: 2, usage: 'LIMIT takes a capacity and a rate per minute, as in: LIMIT 10 60' },
  NOW: { words: 1, usage: 'NOW takes a time in milliseconds, as in: NOW 1000' },
  REQUEST: { words: 1, usage: 'REQUEST takes the name of a client, as in: REQUEST alice' },
  STATUS: { words: 1, usage: 'STATUS takes the name of a client, as in: STATUS alice' },
}

/** A shell at time 0 with 10 tokens for each client, and 60 per minute. */
export function createShell(): Shell {
  let policies = [tokenBucket({ capacity: 10, perMinute: 60 })]
  let clients = new Map<string, BucketState[]>()
  let now = 0

  /** The buckets of a client, which exists from now on. */
  function statesOf(client: string): BucketState[] {
    let states = clients.get(client)
    if (states === undefined) {
      states = policies.map((policy) => freshState(policy, now))
      clients.set(copyOf(client), states)
    }
    return states
  }

  const commands: Readonly<Record<string, (first: string, second: string) => string>> = {
    LIMIT(capacity, perMinute) {
      policies = [policyOf(capacity, perMinute)]
      clients = new Map()
      return ''
    },
    NOW(ms) {
      now = wholeNumber('the time', ms, 0, MOST)
      return ''
    },
    REQUEST(client) {
      const { allowed, remaining, retryAfterMs } = take(policies, statesOf(client), now, 1)
      return allowed ? `200 ${REMAINING}: ${remaining}` : `429 ${RETRY_AFTER}: ${wholeSeconds(retryAfterMs)}`
    },
    STATUS(client) {
      const states = statesOf(client)
      take(policies, states, now, 0)
      return states.map(tokensOf).join(' ')
    },
  }

  return {
    run(line) {
      const [name, ...given] = wordsOf(line)
      if (name === undefined) return ''
      const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
      if (command === undefined)
        throw new BadLine(`${quoted(name)} is no command; there are ${Object.keys(COMMANDS).join(', ')}`)
      if (given.length !== command.words) throw new BadLine(command.usage)
      const [first = '', second = ''] = given
      return commands[name]!(first, second)
    },
  }
}

/** The same text in memory of its own: a part of a string keeps the whole of it alive. */
function copyOf(word: string): string {
  return Buffer.from(word, 'latin1').toString('latin1')
}

/** Spaces and tabs part words; a carriage return at the end belongs to the line's end. */
function wordsOf(line: string): string[] {
  return line.split(/[ \t]+|\r$/).filter((word) => word !== '')
}

function policyOf(capacity: string, perMinute: string): Policy {
  return tokenBucket({
    capacity: wholeNumber('the capacity', capacity, 1, Math.floor(MOST / MINUTE_MS)),
    perMinute: wholeNumber('the rate per minute', perMinute, 1, MOST),
  })
}

function wholeNumber(what: string, word: string, least: number, most: number): number {
  const value = Number(word)
  if (/^\d+$/.test(word) && value >= least && value <= most) return value
  throw new BadLine(`${what} must be a whole number from ${least} to ${most}, not ${quoted(word)}`)
}

/** `<whole>.<three digits>`, cut and not rounded: 60 ticks are a thousandth of a token. */
function tokensOf({ ticks }: BucketState): string {
  const thousandths = Math.floor((ticks % MINUTE_MS) / 60)
  return `${Math.floor(ticks / MINUTE_MS)}.${String(thousandths).padStart(3, '0')}`
}

/** A word as a person wrote it: its bytes read as UTF-8, cut if it is long, and nothing that moves a cursor. */
function quoted(word: string): string {
  const bytes = Uint8Array.from(word.slice(0, 40), (letter) => letter.charCodeAt(0))
  const text = JSON.stringify(new TextDecoder().decode(bytes))
  return word.length > 40 ? `${text}…` : text
}
