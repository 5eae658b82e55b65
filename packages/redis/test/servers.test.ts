import { setTimeout as sleep } from 'node:timers/promises'
import { tokenBucket } from '@tickbucket/core'
import { Redis } from 'ioredis'
import { createClientPool, createSentinel } from 'redis'
import { describe, expect, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { redisKey } from '../src/redis-key.ts'
import { ioredis } from './support/clients.ts'
import { findRedisServer, freePort, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const policies = [tokenBucket({ capacity: 5, perDay: 5 })]

describe.skipIf(command === undefined)('servers of every kind', () => {
  test('a server with a password', async () => {
    const server = await startRedis(command!, ['--requirepass', 'secret'])
    const client = ioredis(server.port, { password: 'secret' })
    expect((await redisStore({ client }).take('a', 1, policies)).remaining).toBe(4)
    const stranger = ioredis(server.port)
    await expect(redisStore({ client: stranger }).take('a', 1, policies)).rejects.toMatchObject({
      code: 'REDIS_FAILED',
    })
    client.disconnect()
    stranger.disconnect()
    await server.kill()
  })

  test('a pool of node-redis', async () => {
    const server = await startRedis(command!)
    const pool = createClientPool({ url: `redis://127.0.0.1:${server.port}` }, { minimum: 2, maximum: 4 })
    await pool.connect()
    const store = redisStore({ client: pool })
    const decisions = await Promise.all(Array.from({ length: 8 }, () => store.take('a', 1, policies)))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5)
    pool.destroy()
    await server.kill()
  })

  test('F6 E17 J04 a primary behind Sentinel that dies: the replica that follows knows what was spent', async () => {
    const primary = await startRedis(command!, ['--repl-diskless-sync-delay', '0'])
    const replica = await startRedis(command!, ['--replicaof', `127.0.0.1 ${primary.port}`])
    const sentinels = await Promise.all(Array.from({ length: 3 }, () => startSentinel(primary.port)))
    const ioSentinels = sentinels.map(({ port }) => ({ host: '127.0.0.1', port }))
    const client = new Redis({
      sentinels: ioSentinels,
      name: 'limits',
      maxRetriesPerRequest: 1,
      sentinelRetryStrategy: () => 100,
    })
    client.on('error', () => undefined)
    const other = createSentinel({ name: 'limits', sentinelRootNodes: ioSentinels })
    other.on('error', () => undefined)
    await other.connect()
    const stores = [redisStore({ client, timeoutMs: 500 }), redisStore({ client: other, timeoutMs: 500 })]
    await stores[0]!.take('a', 3, policies)
    expect((await stores[1]!.take('a', 1, policies)).remaining).toBe(1)
    const follower = ioredis(replica.port)
    while ((await follower.get(redisKey('tickbucket:', 'a', policies[0]!))) === null) await sleep(20)
    follower.disconnect()
    await primary.kill()
    for (const store of stores)
      expect((await eventually(() => store.take('a', 0, policies))).remaining).toBe(1)
    client.disconnect()
    await other.close()
    await Promise.all([replica, ...sentinels].map((server) => server.kill()))
  }, 60_000)

  test('J04 a restart of the process that limits: what was spent stays spent', async () => {
    const server = await startRedis(command!)
    for (const right of [0, 0]) {
      const client = ioredis(server.port)
      const store = redisStore({ client })
      const { remaining, retryAfterMs } = await store.take('a', 5, policies)
      expect([remaining, retryAfterMs === 0 || retryAfterMs > 86_000_000]).toEqual([right, true])
      client.disconnect()
    }
    await server.kill()
  })

  test('D04 E20 a key of ours without an expiry, and one that is gone', async () => {
    const server = await startRedis(command!)
    const client = ioredis(server.port)
    const store = redisStore({ client, maxDenyMs: 0 })
    const key = redisKey('tickbucket:', 'a', policies[0]!)
    await client.set(key, '0:1000')
    expect((await store.take('a', 1, policies)).remaining).toBe(4)
    expect(await client.pttl(key)).toBeGreaterThan(0)
    await store.take('a', 4, policies)
    await client.del(key)
    expect((await store.take('a', 1, policies)).remaining).toBe(4)
    client.disconnect()
    await server.kill()
  })

  test('E10 a limit that refills in a millisecond', async () => {
    const server = await startRedis(command!)
    const client = ioredis(server.port)
    const store = redisStore({ client })
    const fast = [tokenBucket({ capacity: 1, perSecond: 1000 })]
    for (let count = 0; count < 100; count += 1) {
      expect((await store.take('a', 1, fast)).allowed).toBe(true)
      await sleep(3)
    }
    await sleep(5)
    expect(await client.exists(redisKey('tickbucket:', 'a', fast[0]!))).toBe(0)
    client.disconnect()
    await server.kill()
  })

  test('E13 E16 a key that nobody knows reads as a full bucket, and reading makes none', async () => {
    const server = await startRedis(command!)
    const client = ioredis(server.port)
    const decision = await redisStore({ client }).take('nobody', 0, policies)
    expect(decision).toMatchObject({ allowed: true, remaining: 5, retryAfterMs: 0 })
    expect(await client.dbsize()).toBe(0)
    client.disconnect()
    await server.kill()
  })
})

async function startSentinel(primaryPort: number): Promise<Awaited<ReturnType<typeof startRedis>>> {
  const port = await freePort()
  const { mkdtempSync, writeFileSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const file = `${mkdtempSync(`${tmpdir()}/tickbucket-sentinel-`)}/sentinel.conf`
  writeFileSync(
    file,
    `sentinel monitor limits 127.0.0.1 ${primaryPort} 2\nsentinel down-after-milliseconds limits 300\nsentinel failover-timeout limits 3000\n`,
  )
  return startRedis(command!, [], port, [file, '--sentinel', '--port', String(port), '--bind', '127.0.0.1'])
}

async function eventually<T>(run: () => Promise<T>): Promise<T> {
  const until = performance.now() + 20_000
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(50)
    }
  }
}
