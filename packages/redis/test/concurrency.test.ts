import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fixedWindow, leakyBucket, slidingWindow, tokenBucket } from '@tickbucket/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { ioredis } from './support/clients.ts'
import { findRedisServer, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()

describe.skipIf(command === undefined)('many who ask at once', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis(command!)
  })
  afterAll(() => server.kill())

  test('64 connections of 4 processes: admitted is what flowed in, to the tick, and all of it is used', async () => {
    const client = ioredis(server.port)
    const [seconds, micros] = await client.time()
    // An empty bucket that begins to fill when all of them ask: from then on it is never full.
    const start = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) + 2000
    await client.set('tickbucket:{hammered}:default:1000', `0:${start}`)
    const admitted = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = fork(
          join(import.meta.dirname, 'support/hammer.ts'),
          [String(server.port), '16', '4500'],
          { execArgv: ['--conditions=@tickbucket/source'] },
        )
        return ((await once(child, 'message')) as [number])[0]
      }),
    )
    const total = admitted.reduce((sum, count) => sum + count, 0)
    const [ticks, last] = (await client.get('tickbucket:{hammered}:default:1000'))!
      .split(':')
      .map(Number) as [number, number]
    client.disconnect()
    // What flowed in is what was taken and what is left. A token is 1000 ticks, as many as flow in a millisecond.
    expect((last - start) * 1000).toBe(total * 1000 + ticks)
    expect(ticks).toBeLessThan(total * 100)
    expect(total).toBeGreaterThan(1000)
    expect(admitted.every((count) => count > 0)).toBe(true)
  })

  const windowMs = 365 * 86_400_000
  test.each([
    ['token buckets', [tokenBucket({ capacity: 10, perHour: 10 })]],
    ['leaky buckets', [leakyBucket({ queue: 9, perHour: 10 })]],
    ['fixed windows', [fixedWindow({ limit: 10, windowMs })]],
    ['sliding windows', [slidingWindow({ limit: 10, windowMs })]],
    [
      'all of them',
      [
        slidingWindow({ name: 'sliding', limit: 10, windowMs }),
        tokenBucket({ name: 'token', capacity: 10, perHour: 10 }),
        fixedWindow({ name: 'fixed', limit: 10, windowMs }),
      ],
    ],
  ])('D01 %s: of 50 at once exactly 10 pass, and of 10 with one left one', async (what, policies) => {
    const client = ioredis(server.port)
    const prefix = `d01 ${what}:`
    const stores = [redisStore({ client, prefix }), redisStore({ client: ioredis(server.port), prefix })]
    const passed = async (key: string, count: number): Promise<number> => {
      const decisions = await Promise.all(
        Array.from({ length: count }, (_, index) => stores[index % 2]!.take(key, 1, policies)),
      )
      return decisions.filter(({ allowed }) => allowed).length
    }
    expect(await passed('fifty', 50)).toBe(10)
    await stores[0]!.take('nine', 9, policies)
    expect(await passed('nine', 10)).toBe(1)
    const { allowed, remaining, retryAfterMs } = await stores[1]!.take('nine', 1, policies)
    expect([allowed, remaining, retryAfterMs > 300_000]).toEqual([false, 0, true])
  })

  test('takes of one turn of the event loop travel together, in their order, whatever their keys', async () => {
    const client = ioredis(server.port)
    let calls = 0
    const counted = {
      evalsha: (sha: string, keys: readonly string[], args: readonly string[]) => (
        (calls += 1),
        client.evalsha(sha, keys.length, ...keys, ...args)
      ),
      eval: (source: string, keys: readonly string[], args: readonly string[]) =>
        client.eval(source, keys.length, ...keys, ...args),
    }
    const store = redisStore({ client: counted, prefix: 'batch:' })
    const policies = [
      tokenBucket({ name: 'a', capacity: 30, perHour: 1 }),
      tokenBucket({ name: 'b', capacity: 9, perHour: 1 }),
    ]
    const decisions = await Promise.all(
      Array.from({ length: 60 }, (_, index) => store.take(`client ${index % 3}`, 1, policies)),
    )
    // 32 buckets a call at the most: 120 are four.
    expect(calls).toBe(4)
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(27)
    expect(decisions.slice(0, 6).map(({ remaining }) => remaining)).toEqual([8, 8, 8, 7, 7, 7])
    await Promise.all(Array.from({ length: 200 }, (_, index) => store.take(`other ${index}`, 1, policies)))
    expect(calls).toBe(4 + 13)
    await Promise.all(Array.from({ length: 16 }, (_, index) => store.take(`few ${index}`, 1, policies)))
    expect(calls).toBe(4 + 13 + 1)
  })
})
