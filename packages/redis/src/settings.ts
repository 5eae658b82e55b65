import { type Clock, TickbucketError } from '@tickbucket/core'
import { mayHang, type RedisClient, type ScriptRunner, scriptRunner } from './client.ts'

export interface RedisStoreOptions {
  /** A client of ioredis or node-redis, or whatever can run a script. It stays the caller's own. */
  readonly client: RedisClient
  /** What every key begins with, without braces. `tickbucket:` when left out. */
  readonly prefix?: string | undefined
  /** The longest that a take waits for Redis, 1 to 60,000 ms. 100 when left out. */
  readonly timeoutMs?: number | undefined
  /** The most takes that wait for an answer at once, from 1; more fail at once. 10,000 when left out. */
  readonly maxInFlight?: number | undefined
  /** How long a refusal may be repeated without asking Redis, 0 to 60,000 ms. 1000 when left out. */
  readonly maxDenyMs?: number | undefined
  /** Whole milliseconds, in place of the server's own clock: for tests. */
  readonly clock?: Clock | undefined
}

/** The options, checked, with every default in its place. */
export interface RedisStoreSettings {
  readonly runner: ScriptRunner
  readonly prefix: string
  readonly timeoutMs: number
  readonly maxInFlight: number
  readonly maxDenyMs: number
  readonly clock: Clock | undefined
}

const OPTIONS: readonly string[] = ['client', 'prefix', 'timeoutMs', 'maxInFlight', 'maxDenyMs', 'clock']

/** @throws {TickbucketError} for the first thing that is wrong. */
export function settingsFrom(options: RedisStoreOptions): RedisStoreSettings {
  const given: Partial<RedisStoreOptions> = options ?? {}
  for (const [name, value] of Object.entries(given)) {
    if (!OPTIONS.includes(name))
      fail(
        'UNKNOWN_OPTION',
        name,
        value,
        `redisStore() takes no option '${name}'. It takes ${OPTIONS.join(', ')}.`,
      )
  }
  const { client, prefix = 'tickbucket:', clock } = given
  const runner = scriptRunner(client)
  if (runner === undefined)
    return fail(
      'INVALID_OPTION',
      'client',
      client,
      "'client' must be a client of ioredis or node-redis, or have evalsha() and eval().",
    )
  if (typeof prefix !== 'string' || /[{}]/.test(prefix))
    fail(
      'INVALID_OPTION',
      'prefix',
      prefix,
      "'prefix' must be a text without braces: they would choose the node of a cluster.",
    )
  if (clock !== undefined && typeof clock !== 'function')
    fail('INVALID_OPTION', 'clock', clock, "'clock' must be a function () => whole milliseconds.")
  if (client !== undefined && mayHang(client)) {
    process.emitWarning(
      'This ioredis client has maxRetriesPerRequest: null, so a command waits for ever for a server that is gone, and is sent when it is back. ' +
        'Takes fail in time all the same; a client of their own, with enableOfflineQueue: false, spares the server the late ones.',
      { type: 'TickbucketWarning', code: 'TICKBUCKET_CLIENT_MAY_HANG' },
    )
  }
  return {
    runner,
    prefix,
    clock,
    timeoutMs: wholeNumber('timeoutMs', given.timeoutMs ?? 100, 1, 60_000),
    maxInFlight: wholeNumber('maxInFlight', given.maxInFlight ?? 10_000, 1, 1_000_000),
    maxDenyMs: wholeNumber('maxDenyMs', given.maxDenyMs ?? 1000, 0, 60_000),
  }
}

function wholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  return fail(
    'INVALID_OPTION',
    option,
    value,
    `'${option}' must be a whole number from ${least} to ${most}, not ${String(value)}.`,
  )
}

function fail(
  code: 'UNKNOWN_OPTION' | 'INVALID_OPTION',
  option: string,
  value: unknown,
  message: string,
): never {
  throw new TickbucketError(code, option, value, message)
}
