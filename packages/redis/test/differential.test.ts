import { type ManualClock, manualClock, summaryOf } from '@tickbucket/conformance'
import {
  fixedWindow,
  leakyBucket,
  memoryStore,
  type Policy,
  slidingWindow,
  type Store,
  tokenBucket,
} from '@tickbucket/core'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { redisKey } from '../src/redis-key.ts'
import { ioredis } from './support/clients.ts'
import { findRedisServer, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const MOST = Number.MAX_SAFE_INTEGER
/** A time that the server's own clock has not reached: keys expire as they would, and not yet. */
const FUTURE = 4_000_000_000_000

/** Numbers from 0 to 1 that are the same in every run (G. Marsaglia's xorshift, 32 bits). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

const token = [
  tokenBucket({ name: 'small', capacity: 3, perMinute: 600 }),
  tokenBucket({ name: 'odd', capacity: 7, rate: 7, periodMs: 1300 }),
  tokenBucket({ name: 'large', capacity: 150_119_987_579, perMinute: 6_000_000 }),
  tokenBucket({ name: 'edge', capacity: MOST, rate: MOST, periodMs: 1 }),
]
const leaky = [
  leakyBucket({ name: 'leaky', queue: 4, perSecond: 9 }),
  leakyBucket({ name: 'eager', queue: 9, after: 3, perSecond: 5 }),
]
const fixed = [
  fixedWindow({ name: 'second', limit: 5, windowMs: 1000 }),
  fixedWindow({ name: 'minute', limit: 40, windowMs: 60_000 }),
]
const sliding = [
  slidingWindow({ name: 'log', limit: 6, windowMs: 700 }),
  slidingWindow({ name: 'long', limit: 50, windowMs: 20_000 }),
]

/** Lists of policies of one shape, alone and together; and of all shapes in one list. */
const LISTS: Readonly<Record<string, readonly (readonly Policy[])[]>> = {
  'token buckets': [[token[0]!], [token[1]!, token[2]!], [token[3]!], token],
  'leaky buckets': [[leaky[0]!], leaky],
  'fixed windows': [[fixed[0]!], fixed],
  'sliding windows': [[sliding[0]!], sliding],
  mixtures: [
    [token[0]!, leaky[0]!],
    [fixed[0]!, sliding[0]!, token[1]!],
    [sliding[1]!, leaky[1]!, fixed[1]!, token[2]!],
  ],
}

interface Operation {
  readonly key: string
  readonly cost: number
  readonly policies: readonly Policy[]
}

function operation(random: () => number, lists: readonly (readonly Policy[])[]): Operation {
  const index = Math.floor(random() * lists.length)
  const policies = lists[index]!
  const size = random()
  const largest = Math.min(...policies.map(({ capacity }) => capacity))
  const cost =
    size < 0.85
      ? Math.floor(random() * 4)
      : size < 0.95
        ? Math.ceil(random() * largest)
        : Math.ceil(random() * MOST)
  return { key: `${index} ${Math.floor(random() * 3)}`, cost, policies }
}

/** Runs operations, so many at a time at one moment, on two stores at one clock, and compares every answer. */
async function compare(
  count: number,
  seed: number,
  lists: readonly (readonly Policy[])[],
  clock: ManualClock,
  stores: readonly [Store, Store],
  after: () => Promise<void>,
): Promise<void> {
  const random = randomFrom(seed)
  for (let done = 0; done < count; done += 200) {
    const operations = Array.from({ length: 200 }, () => operation(random, lists))
    const answers = await Promise.all(
      stores.map((store) =>
        Promise.all(
          operations.map(async ({ key, cost, policies }) => summaryOf(await store.take(key, cost, policies))),
        ),
      ),
    )
    expect(answers[0]).toEqual(answers[1])
    if (done % 5000 === 0) await after()
    clock.advance(random() < 0.9 ? Math.floor(random() * 900) : Math.floor(random() * 100_000))
  }
}

describe.skipIf(command === undefined)('Redis answers as memory does', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis(command!)
    client = ioredis(server.port)
  })
  afterAll(async () => {
    client.disconnect()
    await server.kill()
  })

  /** Every bucket of a few keys stands as the definition says, and expires when it is full. */
  async function checkBytes(
    prefix: string,
    lists: readonly (readonly Policy[])[],
    now: number,
  ): Promise<void> {
    for (const [index, policies] of lists.entries()) {
      for (const policy of policies) {
        const { shape, capacity, rate, periodMs } = policy
        const key = redisKey(prefix, `${index} 0`, policy)
        const [value, expiry] = [await client.get(key), await client.pexpiretime(key)]
        if (value === null) continue
        if (shape === 'sliding-window') {
          const [last, ...runs] = value.split(':').map(Number)
          expect([last! <= now, expiry], value).toEqual([true, runs.at(-2)! + periodMs])
          continue
        }
        const [ticks, last] = value.split(':').map(BigInt) as [bigint, bigint]
        const end =
          shape === 'fixed-window'
            ? last + BigInt(periodMs) - (last % BigInt(periodMs))
            : last + (BigInt(capacity) * BigInt(periodMs) - ticks + BigInt(rate) - 1n) / BigInt(rate)
        expect([value, last <= BigInt(now), String(expiry)]).toEqual([`${ticks}:${last}`, true, String(end)])
      }
    }
  }

  test.each(Object.entries(LISTS))(
    '%s, 100,000 takes',
    async (name, lists) => {
      const clock = manualClock(FUTURE)
      const prefix = `${name}:`
      const redis = redisStore({ client, prefix, clock, timeoutMs: 10_000 })
      await compare(100_000, 1 + name.length, lists, clock, [redis, memoryStore({ clock })], () =>
        checkBytes(prefix, lists, clock()),
      )
    },
    60_000,
  )

  test('E14 one trace of 2000 takes of 1 to 3 by 5 clients', async () => {
    const clock = manualClock(FUTURE)
    const random = randomFrom(14)
    const policies = [tokenBucket({ capacity: 10, perSecond: 5 })]
    const stores = [redisStore({ client, prefix: 'e14:', clock, timeoutMs: 10_000 }), memoryStore({ clock })]
    for (let event = 0; event < 2000; event += 1) {
      const [key, cost] = [`client ${Math.floor(random() * 5)}`, 1 + Math.floor(random() * 3)]
      const [redis, memory] = await Promise.all(
        stores.map(async (store) => summaryOf(await store.take(key, cost, policies))),
      )
      expect(redis).toEqual(memory)
      clock.advance(Math.floor(random() * 120))
    }
  })

  test('a clock that jumps both ways: last never moves back, and a refusal writes nothing', async () => {
    const clock = manualClock(FUTURE)
    const random = randomFrom(77)
    const policy = tokenBucket({ capacity: 4, rate: 7, periodMs: 1300 })
    const store = redisStore({ client, prefix: 'jumps:', clock, timeoutMs: 10_000 })
    // A client that is not known is as full as can be, at whatever time.
    let [ticks, last] = [5200n, 0n]
    for (let done = 0; done < 10_000; done += 1) {
      const cost = Math.floor(random() * 3)
      const now = BigInt(clock())
      const held = ticks + (now > last ? now - last : 0n) * 7n
      const [found, seen] = [held > 5200n ? 5200n : held, now > last ? now : last]
      const allowed = found >= BigInt(cost) * 1300n
      const { remaining, retryAfterMs } = await store.take('client', cost, [policy])
      const left = allowed ? found - BigInt(cost) * 1300n : found
      const wait = allowed ? 0n : (BigInt(cost) * 1300n - found + 6n) / 7n
      expect([remaining, retryAfterMs]).toEqual([Number(left / 1300n), Number(wait)])
      if (allowed && cost > 0) [ticks, last] = [left, seen]
      clock.advance(Math.floor((random() - 0.45) * 400))
    }
  })
})
