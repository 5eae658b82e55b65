import { setTimeout as sleep } from 'node:timers/promises'
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
    const values = [
      ['bucket', bucket[0]!, '432000000:100000000000000000000'],
      ['nines', bucket[0]!, `0:${'9'.repeat(400)}`],
      ['negative', bucket[0]!, '-5:0'],
      ['empty', log[0]!, ''],
      ['infinite', log[0]!, 'inf'],
      ['none', log[0]!, 'nan:1:1'],
      ['debt', log[0]!, '1:1:-2'],
      ['fraction', log[0]!, '1:1:1.5'],
      ['hex', log[0]!, '0x10'],
    ] as const
    for (const [key, policy, value] of values) await client.set(redisKey('poison:', key, policy), value)
    const foreign = ['list', 'text', 'half', 'log', ...values.map(([key]) => key)]
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
    for (const [key, policy, value] of values)
      expect(await client.get(redisKey('poison:', key, policy)), key).toBe(value)
  })

  test.each([
    ['is out of memory', ['maxmemory', '1'], ['maxmemory', '0']],
    ['lacks replicas', ['min-replicas-to-write', '1'], ['min-replicas-to-write', '0']],
  ] as const)(
    'what a server that %s does not write fails alone: a refusal stays one, and a look a look',
    async (what, broken, mended) => {
      const store = redisStore({ client, prefix: `${what}:`, maxDenyMs: 0 })
      await store.take('used', 5, bucket)
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      await client.config('SET', ...broken)
      const answers = await Promise.allSettled([
        store.take('used', 1, bucket),
        store.take('new', 1, bucket),
        store.take('used', 0, bucket),
        store.take('other', 1, [...bucket, ...log]),
      ])
      await client.config('SET', ...mended)
      expect(
        answers.map((one) =>
          one.status === 'fulfilled' ? [one.value.allowed, one.value.remaining] : one.reason.code,
        ),
      ).toEqual([[false, 0], 'REDIS_FAILED', [true, 0], 'REDIS_FAILED'])
      expect((await store.take('new', 1, bucket)).remaining).toBe(4)
    },
  )

  test('a version whose bucket is smaller and fills sooner does not make Redis forget a larger one', async () => {
    const store = redisStore({ client, prefix: 'versions:', maxDenyMs: 0 })
    const large = [tokenBucket({ capacity: 100, perSecond: 10 })]
    const small = [tokenBucket({ capacity: 1, perSecond: 10 })]
    const start = performance.now()
    expect((await store.take('a', 100, large)).allowed).toBe(true)
    await sleep(150)
    expect((await store.take('a', 1, small)).allowed).toBe(true)
    await sleep(250)
    const { remaining } = await store.take('a', 0, large)
    expect(remaining).toBeLessThanOrEqual(Math.floor((performance.now() - start) / 100))
    expect(remaining).toBeGreaterThan(0)
  })

  test('a log that holds more than this version allows tells when there is a token more', async () => {
    const store = redisStore({ client, prefix: 'logs:' })
    const [large, small] = [10, 5].map((limit) => [slidingWindow({ limit, windowMs: 60_000 })])
    const now = Date.now()
    await client.set(redisKey('logs:', 'a', large![0]!), `${now}:${now - 500}:1:${now}:9`)
    const { allowed, retryAfterMs, readings } = await store.take('a', 1, small!)
    expect([allowed, readings[0]!.nextTokenAfterMs]).toEqual([false, retryAfterMs])
    expect(retryAfterMs).toBeGreaterThan(59_600)
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

  test('so it is where the server does not know the script yet', async () => {
    const store = redisStore({ client, prefix: 'reset-unknown:', maxDenyMs: 0 })
    await store.take('a', 5, bucket)
    await client.script('FLUSH')
    const [, again] = await Promise.all([store.reset('a', bucket), store.take('a', 1, bucket)])
    expect([again.allowed, again.remaining]).toEqual([true, 4])
    await client.script('FLUSH')
    await Promise.all([store.take('b', 5, bucket), store.reset('b', bucket)])
    expect((await store.take('b', 1, bucket)).remaining).toBe(4)
  })

  test('a reset that came too late gives nothing back', async () => {
    const store = redisStore({ client, prefix: 'reset-late:', timeoutMs: 100 })
    await store.take('a', 4, bucket)
    server.process.kill('SIGSTOP')
    await expect(store.reset('a', bucket)).rejects.toMatchObject({ code: 'REDIS_TIMEOUT' })
    await sleep(200)
    server.process.kill('SIGCONT')
    expect((await store.take('a', 0, bucket)).remaining).toBe(1)
  })

  test('a clock of a test’s own may tell fractions; one that tells no time is a failure, not a hang', async () => {
    let time = 1000.5
    const store = redisStore({ client, prefix: 'clock:', clock: () => time })
    expect((await store.take('a', 1, bucket)).remaining).toBe(4)
    time = Number.NaN
    await expect(store.take('a', 1, bucket)).rejects.toThrow('NaN')
    time = 1
    const throwing = redisStore({
      client,
      prefix: 'clock:',
      clock() {
        if (time !== 0) return time
        throw new Error('no clock')
      },
    })
    time = 0
    await expect(throwing.take('a', 1, bucket)).rejects.toThrow('no clock')
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

  test('a server whose clock has jumped ahead left a take alone, and is asked again', async () => {
    let ahead = 0
    const lengths: number[] = []
    const runner: ScriptRunner = {
      async evalsha(sha, keys, [deadline, ...args]) {
        const until = deadline === '0' ? 0 : Math.max(1, Number(deadline) - ahead)
        const answer = (await client.evalsha(sha, keys.length, ...keys, String(until), ...args)) as number[]
        lengths.push(answer.length)
        return [answer[0]! + ahead, ...answer.slice(1)]
      },
      eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
    }
    const store = redisStore({ client: runner, prefix: 'jumped:' })
    for (const [jump, left, seen] of [
      [0, 4, [5]],
      [2000, 3, [1, 5]],
      [0, 2, [5]],
    ] as const) {
      ahead += jump
      lengths.length = 0
      expect([(await store.take('a', 1, bucket)).remaining, lengths]).toEqual([left, seen])
    }
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
