import { inspect } from 'node:util'
import { type Clock, type Decision, decide, type Policy, type Store } from '@tickbucket/core'
import calculateSlot from 'cluster-key-slot'
import { createCaller } from './caller.ts'
import { denyCache } from './deny-cache.ts'
import { ownTime } from './own-time.ts'
import { found } from './reading.ts'
import { redisKey } from './redis-key.ts'
import { takeScript } from './script.ts'
import { createServerTime, type ServerTime } from './server-time.ts'
import { type RedisStoreOptions, settingsFrom } from './settings.ts'
import { RedisStoreError } from './store-error.ts'
import { callOf, FORGET, partsOf, type PendingTake, settle, type TakeAnswer } from './take-batch.ts'

/** A store that answers with promises. */
export interface RedisStore extends Store {
  take(key: string, cost: number, policies: readonly Policy[]): Promise<Decision>
  reset(key: string, policies: readonly Policy[]): Promise<void>
}

/** How many clients are remembered as refused. */
const MOST_DENIALS = 10_000

/**
 * Buckets in Redis 6.2 or newer, or Valkey, shared by all processes that use it: exact, at the
 * server's clock, with one call for any number of policies. Nothing is sent before the first take.
 *
 * Takes of one turn of the event loop travel together. A client without a whole token left is refused
 * without a call for as long as its next one cannot be there. A take that Redis does not
 * answer rejects with a `RedisStoreError`, at the latest after `timeoutMs`; what happens then is up
 * to `onStoreError`.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * const client = new Redis({ enableOfflineQueue: false })
 * app.use(rateLimit({ capacity: 10, perMinute: 60, store: redisStore({ client }) }))
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  const { runner, prefix, timeoutMs, maxInFlight, maxDenyMs, clock } = settingsFrom(options)
  const caller = createCaller(runner)
  /** By node, since those of a cluster have clocks of their own. */
  const serverTimes = new Map<string, ServerTime>()
  const denials = denyCache({ maxClients: MOST_DENIALS, maxAgeMs: maxDenyMs })
  const queues = new Map<number, PendingTake[]>()
  let inFlight = 0

  /** A slot is a node of its own where nobody tells which nodes there are. */
  function nodeOf(slot: number): string {
    return runner.isCluster === true ? (runner.nodeOf?.(slot) ?? `slot ${slot}`) : ''
  }

  function serverTimeOf(node: string): ServerTime {
    let serverTime = serverTimes.get(node)
    if (serverTime === undefined) serverTimes.set(node, (serverTime = createServerTime()))
    return serverTime
  }

  /** Puts a take behind those of its slot that wait for the end of the turn. */
  function enqueue(take: PendingTake): void {
    const slot = runner.isCluster === true ? calculateSlot(take.redisKeys[0]!) : 0
    const queue = queues.get(slot)
    if (queue !== undefined) {
      queue.push(take)
      return
    }
    const takes = [take]
    queues.set(slot, takes)
    setImmediate(() => {
      queues.delete(slot)
      for (const part of partsOf(takes)) void send(slot, part)
    })
  }

  async function send(slot: number, takes: readonly PendingTake[]): Promise<void> {
    try {
      const until = ownTime().mono + timeoutMs
      const isDone = (await tried(slot, takes, until)) || (await tried(slot, takes, until))
      if (!isDone)
        throw new RedisStoreError(
          'REDIS_LATE',
          'Redis came to a take after its time was up, and left it alone.',
        )
    } catch (error) {
      for (const { reject } of takes) reject(error)
    }
  }

  /**
   * Asks the server once. `false`: it came to it too late by its clock, and did nothing; if our time
   * is not up, it was wrong what we knew of that clock, and it may be asked again.
   */
  async function tried(slot: number, takes: readonly PendingTake[], until: number): Promise<boolean> {
    const sent = ownTime()
    if (sent.mono > until) return false
    const node = nodeOf(slot)
    const serverTime = serverTimeOf(node)
    const script = takeScript(new Set(takes.flatMap(({ policies }) => policies.map(({ shape }) => shape))))
    const { keys, args } = callOf(takes)
    const deadline = clock === undefined ? (serverTime.latestAt(until) ?? 0) : 0
    const given = clock === undefined ? '' : timeOf(clock)
    const answer = await caller.call(node, script, keys, [String(deadline), given, ...args], until)
    const isLate = Array.isArray(answer) && answer.length === 1 && Number.isFinite(Number(answer[0]))
    if (!isLate && !(Array.isArray(answer) && settle(takes, answer, sent)))
      throw new RedisStoreError(
        'REDIS_FAILED',
        `Redis, or its client, answered a take with ${shown(answer)}.`,
      )
    if (clock === undefined) serverTime.learn(Number((answer as unknown[])[0]), sent.mono, ownTime().mono)
    return !isLate
  }

  return {
    async take(key, cost, policies) {
      const refusal = clock === undefined ? denials.refuse(key, cost, policies, ownTime()) : undefined
      if (refusal !== undefined) return refusal
      if (inFlight >= maxInFlight)
        throw new RedisStoreError('REDIS_OVERLOADED', `${maxInFlight} takes wait for Redis already.`)
      inFlight += 1
      try {
        const answer = await asked(key, cost, policies)
        const { states, readings } = found(policies, answer, cost)
        // A server's clock that has stepped back must first come to where a bucket's time stands.
        if (clock === undefined && states.every(({ last }) => last <= answer.serverNow))
          denials.learn(key, policies, states, { ...answer, received: ownTime() })
        return decide(readings)
      } finally {
        inFlight -= 1
      }
    },

    async reset(key, policies) {
      denials.forget(key, ownTime())
      try {
        await asked(key, FORGET, policies)
      } finally {
        denials.forget(key, ownTime())
      }
    },
  }

  function asked(key: string, cost: number, policies: readonly Policy[]): Promise<TakeAnswer> {
    const redisKeys = policies.map((policy) => redisKey(prefix, key, policy))
    return new Promise((resolve, reject) => enqueue({ cost, policies, redisKeys, resolve, reject }))
  }
}

function timeOf(clock: Clock): string {
  const time = Math.floor(clock())
  if (Number.isSafeInteger(time)) return String(time)
  throw new RangeError(`The store's clock told ${time}, which is no time.`)
}

function shown(answer: unknown): string {
  return inspect(answer, { breakLength: Infinity, maxArrayLength: 8, maxStringLength: 60 })
}
