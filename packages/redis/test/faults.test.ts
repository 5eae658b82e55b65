import { createServer } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Decision, tokenBucket } from '@tickbucket/core'
import type { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { redisStore, RedisStoreError, type RedisStoreOptions } from '../src/index.ts'
import { redisKey } from '../src/redis-key.ts'
import { ioredis } from './support/clients.ts'
import { faultyProxy, type FaultyProxy } from './support/faulty-proxy.ts'
import { findRedisServer, freePort, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const policies = [tokenBucket({ capacity: 1000, perSecond: 100 })]
const TIMEOUT_MS = 100

/** What became of many takes. */
interface Outcome {
  admitted: number
  refused: number
  readonly failures: Record<string, number>
  worstMs: number
}

const rejections: unknown[] = []
const onRejection = (reason: unknown): number => rejections.push(reason)
beforeAll(() => void process.on('unhandledRejection', onRejection))
afterAll(() => void process.off('unhandledRejection', onRejection))

describe.skipIf(command === undefined)('faults', () => {
  let server: RedisServer
  let admin: Redis
  let prefix = 0
  const clients: Redis[] = []

  beforeEach(async () => {
    server = await startRedis(command!)
    admin = ioredis(server.port)
    prefix += 1
  })
  afterEach(async () => {
    for (const client of [admin, ...clients.splice(0)]) client.disconnect()
    server.process.kill('SIGCONT')
    await server.kill()
    expect(rejections).toEqual([])
  })

  function storeAt(port: number, options: Partial<RedisStoreOptions> = {}): ReturnType<typeof redisStore> {
    const client = ioredis(port, { retryStrategy: () => 50 })
    clients.push(client)
    return redisStore({ client, prefix: `f${prefix}:`, timeoutMs: TIMEOUT_MS, ...options })
  }

  /** Takes from so many clients, one after another for each, for so long. */
  async function drive(store: ReturnType<typeof redisStore>, forMs: number, workers = 20): Promise<Outcome> {
    const outcome: Outcome = { admitted: 0, refused: 0, failures: {}, worstMs: 0 }
    const until = performance.now() + forMs
    const stalls = monitorEventLoopDelay({ resolution: 5 })
    stalls.enable()
    const work = async (worker: number): Promise<void> => {
      while (performance.now() < until) {
        const start = performance.now()
        try {
          const { allowed } = await store.take(`client ${worker % 5}`, 1, policies)
          outcome[allowed ? 'admitted' : 'refused'] += 1
        } catch (error) {
          const { code } = error as RedisStoreError
          outcome.failures[code] = (outcome.failures[code] ?? 0) + 1
          expect(error).toBeInstanceOf(RedisStoreError)
        }
        outcome.worstMs = Math.max(outcome.worstMs, performance.now() - start)
        await sleep(2)
      }
    }
    await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
    stalls.disable()
    // Beside what a busy machine adds: this process may be kept from running as the time is up, and once
    // more before it says so.
    expect(outcome.worstMs - (2 * stalls.max) / 1e6).toBeLessThanOrEqual(TIMEOUT_MS + 50)
    return outcome
  }

  async function works(store: ReturnType<typeof redisStore>, withinMs = 3000): Promise<Decision> {
    const until = performance.now() + withinMs
    for (;;) {
      try {
        return await store.take('again', 1, policies)
      } catch (error) {
        if (performance.now() > until) throw error
        await sleep(25)
      }
    }
  }

  test('F1 a server that dies and comes back empty: failures meanwhile, then exact again', async () => {
    const store = storeAt(server.port)
    await store.take('again', 5, policies)
    const driving = drive(store, 1500)
    await sleep(300)
    await server.kill()
    await sleep(300)
    server = await startRedis(command!, [], server.port)
    const { failures, admitted } = await driving
    expect(Object.keys(failures).length).toBeGreaterThan(0)
    expect(admitted).toBeGreaterThan(0)
    expect((await works(store)).remaining).toBe(999)
  })

  test('F2 a frozen server: nobody waits longer than said, few wait at all, and nothing is taken late', async () => {
    const store = storeAt(server.port)
    await drive(store, 100)
    await store.take('counted', 1, policies)
    const driving = drive(store, 2000)
    await sleep(100)
    server.process.kill('SIGSTOP')
    await sleep(1000)
    server.process.kill('SIGCONT')
    const { failures } = await driving
    // The takes that were under way, and those of one call now and then that tries: all others fail at once.
    expect(failures['REDIS_TIMEOUT'] ?? 0).toBeGreaterThan(0)
    expect(failures['REDIS_TIMEOUT'] ?? 0).toBeLessThan(20 * 8)
    expect(failures['REDIS_DOWN'] ?? 0).toBeGreaterThan(100)
    expect((await works(store)).allowed).toBe(true)
  })

  test('F2 a take whose time is up when the server comes to it takes nothing', async () => {
    const store = storeAt(server.port)
    const slow = [tokenBucket({ name: 'slow', capacity: 100, perDay: 1 })]
    await store.take('late', 10, slow)
    server.process.kill('SIGSTOP')
    const answers = await Promise.allSettled(Array.from({ length: 4 }, () => store.take('late', 10, slow)))
    await sleep(200)
    server.process.kill('SIGCONT')
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'))
    await sleep(100)
    expect((await storeAt(server.port).take('late', 0, slow)).remaining).toBe(90)
  })

  test.each(['ALL', 'WRITE'])('F3 CLIENT PAUSE %s', async (mode) => {
    const store = storeAt(server.port)
    await drive(store, 100)
    await admin.call('CLIENT', 'PAUSE', '700', mode)
    const { failures } = await drive(store, 1200)
    expect(failures['REDIS_TIMEOUT'] ?? 0).toBeGreaterThan(0)
    expect((await works(store)).allowed).toBe(true)
  })

  test('F4 E01 scripts that are flushed, before each take and under load: nobody notices', async () => {
    const store = storeAt(server.port)
    const exact = [tokenBucket({ name: 'exact', capacity: 5, perDay: 1 })]
    const left: number[] = []
    for (let count = 0; count < 5; count += 1) {
      await admin.script('FLUSH')
      left.push((await store.take('flushed', 1, exact)).remaining)
    }
    expect(left).toEqual([4, 3, 2, 1, 0])
    await admin.script('FLUSH')
    expect((await store.take('flushed', 0, exact)).remaining).toBe(0)
    await admin.script('FLUSH')
    await store.reset('flushed', exact)
    expect((await store.take('flushed', 0, exact)).remaining).toBe(5)
    const driving = drive(store, 600)
    for (let count = 0; count < 20; count += 1) {
      await admin.script('FLUSH')
      await sleep(25)
    }
    expect((await driving).failures).toEqual({})
  })

  describe('F5 a network that', () => {
    let proxy: FaultyProxy
    beforeEach(async () => {
      proxy = await faultyProxy(server.port)
    })
    afterEach(() => proxy.close())

    test('is slow: within the time all is well', async () => {
      const store = storeAt(proxy.port)
      await works(store)
      proxy.delayMs = 15
      expect((await drive(store, 600)).failures).toEqual({})
    })

    test('is slower than we wait', async () => {
      const store = storeAt(proxy.port)
      await works(store)
      proxy.delayMs = 300
      expect((await drive(store, 800)).admitted).toBe(0)
      proxy.delayMs = 0
      expect((await works(store)).allowed).toBe(true)
    })

    test('swallows everything, and then is back', async () => {
      const store = storeAt(proxy.port)
      await works(store)
      proxy.mode = 'swallow'
      const { admitted, failures } = await drive(store, 800)
      expect([admitted, (failures['REDIS_TIMEOUT'] ?? 0) > 0]).toEqual([0, true])
      proxy.cut()
      proxy.mode = 'pass'
      expect((await works(store)).allowed).toBe(true)
    })

    test('is cut and refuses', async () => {
      const store = storeAt(proxy.port)
      await works(store)
      proxy.mode = 'refuse'
      proxy.cut()
      expect((await drive(store, 500)).admitted).toBe(0)
      proxy.mode = 'pass'
      expect((await works(store)).allowed).toBe(true)
    })

    test('D05 loses the answer: the script ran once, and is not sent again by us', async () => {
      const exact = [tokenBucket({ name: 'exact', capacity: 100, perDay: 1 })]
      const client = ioredis(proxy.port, { autoResendUnfulfilledCommands: false })
      clients.push(client)
      const store = redisStore({ client, prefix: 'd05:', timeoutMs: TIMEOUT_MS })
      await store.take('lost', 1, exact)
      proxy.mode = 'lose-answers'
      await expect(store.take('lost', 1, exact)).rejects.toMatchObject({ code: 'REDIS_TIMEOUT' })
      proxy.mode = 'pass'
      await sleep(50)
      expect(await admin.get(redisKey('d05:', 'lost', exact[0]!))).toMatch(/^8467200\d{3}:/)
    })
  })

  test('F9 a primary that was made a replica: what would write is a failure, not a refusal', async () => {
    const store = storeAt(server.port)
    await works(store)
    await admin.replicaof('127.0.0.1', await freePort())
    const answers = await Promise.allSettled(
      Array.from({ length: 3 }, () => store.take('demoted', 1, policies)),
    )
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await admin.replicaof('NO', 'ONE')
    expect((await works(store)).allowed).toBe(true)
  })

  test('F10 E19 a server without memory: failures, and then exact again', async () => {
    const store = storeAt(server.port)
    const exact = [tokenBucket({ name: 'exact', capacity: 50, perDay: 1 })]
    await store.take('full', 1, exact)
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    await admin.config('SET', 'maxmemory', '1')
    for (let count = 0; count < 20; count += 1)
      await expect(store.take(`new ${count}`, 1, exact)).rejects.toBeInstanceOf(RedisStoreError)
    await admin.config('SET', 'maxmemory', '0')
    await works(store)
    expect((await store.take('full', 1, exact)).remaining).toBe(48)
  })

  test('F10 a key that holds something else is a failure of that key alone', async () => {
    const store = storeAt(server.port)
    await admin.lpush(redisKey(`f${prefix}:`, 'foreign', policies[0]!), 'not ours')
    for (let count = 0; count < 10; count += 1) {
      await expect(store.take('foreign', 1, policies)).rejects.toMatchObject({
        code: 'REDIS_FAILED',
        message: expect.stringContaining('{foreign}:default') as string,
      })
    }
    expect((await store.take('ours', 1, policies)).allowed).toBe(true)
  })

  test('F10 a server that is busy with a script without end', async () => {
    const store = storeAt(server.port)
    await works(store)
    await admin.config('SET', 'busy-reply-threshold', '50')
    const busy = ioredis(server.port)
    clients.push(busy)
    busy.eval('while true do end', 0).catch(() => undefined)
    await sleep(100)
    const { admitted } = await drive(store, 400)
    expect(admitted).toBe(0)
    await admin.script('KILL')
    expect((await works(store)).allowed).toBe(true)
  })

  test('F12 an event loop that stood still for 200 ms: no false time-out', async () => {
    const store = storeAt(server.port)
    await works(store)
    for (let count = 0; count < 5; count += 1) {
      const answers = Promise.all(
        Array.from({ length: 10 }, (_, index) => store.take(`stalled ${index}`, 1, policies)),
      )
      await new Promise((resolve) => setImmediate(resolve))
      const until = performance.now() + 200
      while (performance.now() < until);
      expect((await answers).every(({ allowed }) => allowed)).toBe(true)
    }
  })

  test('F14 many who wait for a server that is down: one probe at a time', async () => {
    let connections = 0
    const blackHole = createServer((socket) => {
      connections += 1
      socket.on('error', () => undefined)
    }).listen(0)
    const { port } = blackHole.address() as { port: number }
    let calls = 0
    const never = {
      evalsha: () => ((calls += 1), new Promise<never>(() => undefined)),
      eval: () => new Promise<never>(() => undefined),
    }
    const store = redisStore({ client: never, timeoutMs: 20 })
    for (let count = 0; count < 5; count += 1) await store.take('a', 1, policies).catch(() => undefined)
    expect(calls).toBe(5)
    await Promise.allSettled(Array.from({ length: 500 }, (_, index) => store.take(`b ${index}`, 1, policies)))
    expect(calls).toBe(5)
    await sleep(160)
    await Promise.allSettled(
      Array.from({ length: 50 }, async () => {
        await new Promise((resolve) => setImmediate(resolve))
        return store.take('c', 1, policies)
      }),
    )
    expect(calls).toBe(6)
    expect([connections, port > 0]).toEqual([0, true])
    blackHole.close()
  })

  test('F15 E02 a server that was never there: no error while nothing is asked, and then failures in time', async () => {
    const store = storeAt(await freePort())
    await sleep(200)
    const { admitted, failures } = await drive(store, 400)
    expect([admitted, Object.keys(failures).length > 0]).toEqual([0, true])
  })

  test('a client of node-redis that was closed is a failure at once', async () => {
    const client = await createClient({
      url: `redis://127.0.0.1:${server.port}`,
      disableOfflineQueue: true,
    }).connect()
    const store = redisStore({ client, timeoutMs: TIMEOUT_MS })
    await store.take('a', 1, policies)
    client.destroy()
    await expect(store.take('a', 1, policies)).rejects.toMatchObject({ code: 'REDIS_FAILED' })
  })
})
