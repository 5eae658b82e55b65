import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { tokenBucket } from '@tickbucket/core'
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
    await client.set('tickbucket:{hammered}:default', `0:${start}`)
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
    const [ticks, last] = (await client.get('tickbucket:{hammered}:default'))!.split(':').map(Number) as [
      number,
      number,
    ]
    client.disconnect()
    // What flowed in is what was taken and what is left. A token is 1000 ticks, as many as flow in a millisecond.
    expect((last - start) * 1000).toBe(total * 1000 + ticks)
    expect(ticks).toBeLessThan(total * 100)
    expect(total).toBeGreaterThan(1000)
    expect(admitted.every((count) => count > 0)).toBe(true)
  })

  test('D01 of 50 at once exactly 10 pass, and of 10 with one left one', async () => {
    const client = ioredis(server.port)
    const stores = [
      redisStore({ client, prefix: 'd01:' }),
      redisStore({ client: ioredis(server.port), prefix: 'd01:' }),
    ]
    const policies = [tokenBucket({ capacity: 10, perHour: 10 })]
    const passed = async (key: string, count: number): Promise<number> => {
      const decisions = await Promise.all(
        Array.from({ length: count }, (_, index) => stores[index % 2]!.take(key, 1, policies)),
      )
      return decisions.filter(({ allowed }) => allowed).length
    }
    expect(await passed('fifty', 50)).toBe(10)
    await stores[0]!.take('nine', 9, policies)
    expect(await passed('nine', 10)).toBe(1)
  })

  test('takes of one turn of the event loop travel in one call, in their order, whatever their keys', async () => {
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
    expect(calls).toBe(1)
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(27)
    expect(decisions.slice(0, 6).map(({ remaining }) => remaining)).toEqual([8, 8, 8, 7, 7, 7])
    await Promise.all(Array.from({ length: 200 }, (_, index) => store.take(`other ${index}`, 1, policies)))
    // 128 buckets a call at the most: 400 are four.
    expect(calls).toBe(5)
  })
})
