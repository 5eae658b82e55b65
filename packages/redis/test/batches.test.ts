import { slidingWindow, tokenBucket } from '@tickbucket/core'
import calculateSlot from 'cluster-key-slot'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore, type ScriptRunner } from '../src/index.ts'
import { redisKey } from '../src/redis-key.ts'
import { ioredis } from './support/clients.ts'
import { findRedisServer, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const bucket = [tokenBucket({ capacity: 5, perDay: 5 })]
const log = [slidingWindow({ name: 'log', perDay: 5 })]

describe.skipIf(command === undefined)('takes that travel together', () => {
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

  test('one whose key holds something else fails alone, is left as it is, and opens no breaker', async () => {
    const store = redisStore({ client, prefix: 'poison:' })
    await client.lpush(redisKey('poison:', 'list', bucket[0]!), 'not ours')
    await client.set(redisKey('poison:', 'text', bucket[0]!), 'not ours')
    await client.set(redisKey('poison:', 'half', bucket[0]!), '5:')
    await client.set(redisKey('poison:', 'log', log[0]!), '1:2')
    await client.set(redisKey('poison:', 'empty', log[0]!), '')
    const foreign = ['list', 'text', 'half', 'log', 'empty']
    for (let left = 4; left >= 0; left -= 1) {
      const answers = await Promise.allSettled([
        store.take('before', 1, bucket),
        ...foreign.map((key) => store.take(key, 1, [...bucket, ...log])),
        store.take('after', 1, [...log, ...bucket]),
      ])
      expect(
        answers.map((one) => (one.status === 'fulfilled' ? one.value.remaining : String(one.reason.code))),
      ).toEqual([left, ...foreign.map(() => 'REDIS_FAILED'), left])
    }
    expect(await client.lrange(redisKey('poison:', 'list', bucket[0]!), 0, -1)).toEqual(['not ours'])
    expect(await client.get(redisKey('poison:', 'text', bucket[0]!))).toBe('not ours')
    expect(await client.exists(redisKey('poison:', 'text', log[0]!))).toBe(0)
  })

  test('a reset forgets what was taken before it in the same turn, and nothing of what is taken after it', async () => {
    const store = redisStore({ client, prefix: 'reset:' })
    for (let count = 0; count < 3; count += 1) {
      const [taken, , again] = await Promise.all([
        store.take('a', 5, bucket),
        store.reset('a', bucket),
        store.take('a', 2, bucket),
      ])
      expect([taken.remaining, again.remaining]).toEqual([0, 3])
      await store.reset('a', bucket)
    }
  })

  test('a client that was refused is asked for again after a reset, also while the reset is under way', async () => {
    const store = redisStore({ client, prefix: 'reset-denied:' })
    await store.take('a', 5, bucket)
    expect((await store.take('a', 1, bucket)).source).toBe('cache')
    const [, during] = await Promise.all([store.reset('a', bucket), store.take('a', 1, bucket)])
    expect([during.allowed, during.source]).toEqual([true, 'store'])
  })

  test('two limits on one store: who is refused by one is remembered for both', async () => {
    const store = redisStore({ client, prefix: 'two:' })
    const login = [tokenBucket({ name: 'login', capacity: 1, perDay: 1 })]
    await store.take('a', 5, bucket)
    await store.take('a', 1, login)
    for (let count = 0; count < 3; count += 1)
      expect([(await store.take('a', 1, bucket)).source, (await store.take('a', 1, login)).source]).toEqual([
        'cache',
        'cache',
      ])
  })

  test('two versions of a service that mean something else by one name do not disturb each other', async () => {
    const store = redisStore({ client, prefix: 'rollout:' })
    const versions = [
      bucket,
      [tokenBucket({ capacity: 5, rate: 10, periodMs: 2 * 86_400_000 })],
      [slidingWindow({ perDay: 5 })],
    ]
    for (let left = 4; left >= 0; left -= 1)
      for (const version of versions) expect((await store.take('a', 1, version)).remaining).toBe(left)
  })

  test('nodes whose clocks are apart: no take comes too late for the clock of another', async () => {
    const answers: number[] = []
    /** Two nodes, of which the second's clock is half a second ahead, as far as anybody can see. */
    const apart = (keys: readonly string[]): number => (calculateSlot(keys[0]!) % 2) * 500
    const runner: ScriptRunner = {
      isCluster: true,
      async evalsha(sha, keys, [deadline, ...args]) {
        const until = Math.max(0, Number(deadline) - apart(keys))
        const answer = (await client.evalsha(sha, keys.length, ...keys, String(until), ...args)) as number[]
        answers.push(answer.length)
        return [answer[0]! + apart(keys), ...answer.slice(1)]
      },
      eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
    }
    const store = redisStore({ client: runner, prefix: 'apart:' })
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 40 }, (_, index) => store.take(`client ${index}`, 1, bucket)))
    expect(answers.filter((length) => length === 1)).toEqual([])
    expect(answers.length).toBeGreaterThan(100)
  })
})
