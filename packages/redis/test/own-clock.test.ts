import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BucketState,
  type Decision,
  fixedWindow,
  freshState,
  leakyBucket,
  type Policy,
  slidingWindow,
  take,
  tokenBucket,
} from '@tickbucket/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore, type ScriptRunner } from '../src/index.ts'
import { ioredis } from './support/clients.ts'
import { findRedisServer, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const SECONDS = 1.5

const LISTS: Readonly<Record<string, readonly Policy[]>> = {
  'a token bucket': [tokenBucket({ capacity: 20, rate: 37, periodMs: 1300 })],
  'a leaky bucket': [leakyBucket({ queue: 9, after: 3, perSecond: 40 })],
  'a fixed window': [fixedWindow({ limit: 15, windowMs: 400 })],
  'a sliding window': [slidingWindow({ limit: 15, windowMs: 400 })],
  'one of each': [
    slidingWindow({ name: 'sliding', limit: 20, windowMs: 700 }),
    tokenBucket({ name: 'token', capacity: 9, perSecond: 25 }),
    fixedWindow({ name: 'fixed', limit: 12, windowMs: 500 }),
    leakyBucket({ name: 'leaky', queue: 6, perSecond: 30 }),
  ],
}

function told({ allowed, remaining, retryAfterMs, delayMs, readings }: Decision): unknown {
  return { allowed, remaining, retryAfterMs, delayMs, readings }
}

describe.skipIf(command === undefined)('at the server’s own clock', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis(command!)
  })
  afterAll(() => server.kill())

  test.each(Object.entries(LISTS))(
    '%s answers as the arithmetic does at the time that the server tells, and nothing is refused without it that it would allow',
    async (what, policies) => {
      const client = ioredis(server.port)
      let serverNow = 0
      const runner: ScriptRunner = {
        async evalsha(sha, keys, args) {
          const answer = (await client.evalsha(sha, keys.length, ...keys, ...args)) as number[]
          serverNow = answer[0]!
          return answer
        },
        eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
      }
      const store = redisStore({ client: runner, prefix: `${what}:`, timeoutMs: 5000 })
      const buckets = new Map<string, BucketState[]>()
      const modelAt = (key: string, now: number): BucketState[] =>
        buckets.get(key) ?? policies.map((policy) => freshState(policy, now))
      const seen = { store: 0, cache: 0, refused: 0 }
      const end = performance.now() + SECONDS * 1000
      // The script is learnt by a key of its own.
      await store.take('first', 0, policies)
      for (let count = 0; performance.now() < end; count += 1) {
        const key = `client ${count % 3}`
        const cost = count % 7 === 0 ? 0 : 1 + (count % 3)
        const before = Date.now()
        const decision = await store.take(key, cost, policies)
        if (decision.source === 'cache') {
          seen.cache += 1
          expect(take(policies, structuredClone(modelAt(key, before)), before, cost).allowed).toBe(false)
          await sleep(1)
          continue
        }
        seen.store += 1
        const states = modelAt(key, serverNow)
        const expected = take(policies, states, serverNow, cost)
        expect(told(decision)).toEqual(told(expected))
        if (expected.allowed && cost > 0) buckets.set(key, states)
        if (!decision.allowed) seen.refused += 1
        if (count % 50 === 49) await sleep(20)
      }
      client.disconnect()
      expect(seen.store).toBeGreaterThan(100)
      expect(seen.refused).toBeGreaterThan(10)
      if (!policies.some(({ shape }) => shape === 'sliding-window')) expect(seen.cache).toBeGreaterThan(100)
    },
  )
})
