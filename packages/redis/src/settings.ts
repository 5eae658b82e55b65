import {
  asOptions,
  type Clock,
  clockFrom,
  refuseUnknown,
  TickbucketError,
  wholeNumber,
} from '@tickbucket/core'
import { patienceOf, type RedisClient, type ScriptRunner, scriptRunner } from './client.ts'

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
  const given = asOptions(options, 'redisStore()') as Partial<RedisStoreOptions>
  refuseUnknown(given, OPTIONS, 'redisStore()')
  const { client, prefix = 'tickbucket:' } = given
  const runner = scriptRunner(client)
  if (runner === undefined)
    throw new TickbucketError(
      'INVALID_OPTION',
      'client',
      client,
      "'client' must be a client of ioredis or node-redis, or have evalsha() and eval().",
    )
  if (typeof prefix !== 'string' || /[{}]/.test(prefix))
    throw new TickbucketError(
      'INVALID_OPTION',
      'prefix',
      prefix,
      "'prefix' must be a text without braces: they would choose the node of a cluster.",
    )
  const settings = {
    runner,
    prefix,
    clock: given.clock === undefined ? undefined : clockFrom(given.clock),
    timeoutMs: wholeNumber('timeoutMs', given.timeoutMs ?? 100, 1, 60_000),
    maxInFlight: wholeNumber('maxInFlight', given.maxInFlight ?? 10_000, 1, 1_000_000),
    maxDenyMs: wholeNumber('maxDenyMs', given.maxDenyMs ?? 1000, 0, 60_000),
  }
  const patience = client === undefined ? undefined : patienceOf(client)
  if (patience !== undefined)
    process.emitWarning(
      `${patience}, so a command waits for ever for a server that is gone, and is sent when it is back. ` +
        'Takes fail in time all the same, and late ones are left alone; a client of their own that fails fast spares both sides the work.',
      { type: 'TickbucketWarning', code: 'TICKBUCKET_CLIENT_MAY_HANG' },
    )
  return settings
}
