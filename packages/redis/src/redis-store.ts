import { inspect } from 'node:util'
import { type Decision, decide, type Policy, type Store } from '@tickbucket/core'
import calculateSlot from 'cluster-key-slot'
import { createCaller } from './caller.ts'
import { denyCache } from './deny-cache.ts'
import { ownTime } from './own-time.ts'
import { found } from './reading.ts'
import { redisKey } from './redis-key.ts'
import { resetScript, takeScript } from './script.ts'
import { createServerTime, type ServerTime } from './server-time.ts'
import { type RedisStoreOptions, settingsFrom } from './settings.ts'
import { RedisStoreError } from './store-error.ts'
import { callOf, isWhole, partsOf, type PendingTake, settle, type TakeAnswer } from './take-batch.ts'

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
 * Takes of one turn of the event loop travel together. A client that Redis has refused is refused
 * again without a call for as long as its next token cannot be there. A take that Redis does not
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
  const caller = createCaller(runner, timeoutMs)
  /** By slot, since nodes of a cluster have clocks of their own. */
  const serverTimes = new Map<number, ServerTime>()
  const denials = denyCache({ maxClients: MOST_DENIALS, maxAgeMs: maxDenyMs })
  const queues = new Map<number, PendingTake[]>()
  let inFlight = 0

  function slotOf(key: string): number {
    return runner.isCluster === true ? calculateSlot(key) : 0
  }

  function serverTimeOf(slot: number): ServerTime {
    let serverTime = serverTimes.get(slot)
    if (serverTime === undefined) serverTimes.set(slot, (serverTime = createServerTime()))
    return serverTime
  }

  function enqueue(take: PendingTake): void {
    const slot = slotOf(take.redisKeys[0]!)
    const queue = queues.get(slot)
    if (queue !== undefined) {
      queue.push(take)
      return
    }
    const takes = [take]
    queues.set(slot, takes)
    setImmediate(() => {
      if (queues.get(slot) === takes) flush(slot)
    })
  }

  /** Sends what waits for the end of the turn. */
  function flush(slot: number): void {
    const takes = queues.get(slot) ?? []
    queues.delete(slot)
    for (const part of partsOf(takes)) void send(slot, part)
  }

  async function send(slot: number, takes: readonly PendingTake[]): Promise<void> {
    const sent = ownTime()
    const script = takeScript(new Set(takes.flatMap(({ policies }) => policies.map(({ shape }) => shape))))
    const { keys, args } = callOf(takes)
    const serverTime = serverTimeOf(slot)
    const deadline = clock === undefined ? (serverTime.latestAt(sent.mono + timeoutMs) ?? 0) : 0
    const given = clock === undefined ? '' : String(clock())
    try {
      const answer = await caller.call(slot, script, keys, [String(deadline), given, ...args])
      const numbers = Array.isArray(answer) ? answer.map(Number) : []
      const isLate = numbers.length === 1 && Number.isFinite(numbers[0])
      if (!isLate && !isWhole(takes, numbers))
        throw new RedisStoreError(
          'REDIS_FAILED',
          `Redis, or its client, answered a take with ${inspect(answer, { breakLength: Infinity, maxArrayLength: 8, maxStringLength: 60 })}.`,
        )
      if (clock === undefined) serverTime.learn(numbers[0]!, sent.mono, ownTime().mono)
      if (isLate)
        throw new RedisStoreError(
          'REDIS_LATE',
          'Redis came to a take after its time was up, and left it alone.',
        )
      settle(takes, numbers, sent)
    } catch (error) {
      for (const { reject } of takes) reject(error)
    }
  }

  return {
    async take(key, cost, policies) {
      const refusal = clock === undefined ? denials.refuse(key, cost, policies, ownTime()) : undefined
      if (refusal !== undefined) return refusal
      if (inFlight >= maxInFlight)
        throw new RedisStoreError('REDIS_OVERLOADED', `${maxInFlight} takes wait for Redis already.`)
      inFlight += 1
      try {
        const redisKeys = policies.map((policy) => redisKey(prefix, key, policy))
        const { allowed, numbers, sent, fractionMs } = await new Promise<TakeAnswer>((resolve, reject) =>
          enqueue({ cost, policies, redisKeys, resolve, reject }),
        )
        const { states, readings } = found(policies, numbers, cost, allowed)
        if (clock === undefined)
          denials.learn(key, policies, states, { sent, received: ownTime(), fractionMs })
        return decide(readings)
      } finally {
        inFlight -= 1
      }
    },

    async reset(key, policies) {
      const keys = policies.map((policy) => redisKey(prefix, key, policy))
      const slot = slotOf(keys[0]!)
      // What was taken before is reset, too.
      flush(slot)
      denials.forget(key, ownTime())
      try {
        await caller.call(slot, resetScript(), keys, [])
      } finally {
        denials.forget(key, ownTime())
      }
    },
  }
}
