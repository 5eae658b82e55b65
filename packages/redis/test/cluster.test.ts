import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { tokenBucket } from '@tickbucket/core'
import calculateSlot from 'cluster-key-slot'
import { Cluster } from 'ioredis'
import { Cluster as Cluster5 } from 'ioredis5'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { findRedisServer, freePort, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const policies = [
  tokenBucket({ name: 'burst', capacity: 5, perMinute: 5 }),
  tokenBucket({ name: 'daily', capacity: 50, perDay: 50 }),
]

describe.skipIf(command === undefined)('a cluster of three nodes and a replica of each', () => {
  const servers: RedisServer[] = []
  let client: Cluster

  beforeAll(async () => {
    for (let count = 0; count < 6; count += 1) {
      const [port, bus] = [await freePort(), await freePort()]
      const options = [
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        String(bus),
        '--cluster-node-timeout',
        '500',
        '--repl-diskless-sync-delay',
        '0',
        '--cluster-replica-validity-factor',
        '0',
      ]
      servers.push(await startRedis(command!, options, port))
    }
    const addresses = servers.map(({ port }) => `127.0.0.1:${port}`)
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']
    execFileSync(command!.replace(/-server$/, '-cli'), create, { stdio: 'pipe' })
    client = new Cluster([{ host: '127.0.0.1', port: servers[0]!.port }], {
      slotsRefreshTimeout: 2000,
      redisOptions: { maxRetriesPerRequest: 1 },
    })
    client.on('error', () => undefined)
    const until = performance.now() + 15_000
    for (;;) {
      const state = await client.cluster('INFO').catch(() => '')
      if (state.includes('cluster_state:ok')) break
      if (performance.now() > until) throw new Error('the cluster did not come up')
      await sleep(50)
    }
  }, 60_000)
  afterAll(async () => {
    client.disconnect()
    await Promise.all(servers.map((server) => server.kill()))
  })

  /** The takes of many clients at once, two policies each, until one is refused. */
  async function exhaust(store: ReturnType<typeof redisStore>, who: string): Promise<void> {
    const clients = Array.from({ length: 100 }, (_, index) => `${who} ${index} }{`)
    for (let left = 4; left >= 0; left -= 1) {
      const decisions = await Promise.all(clients.map((key) => store.take(key, 1, policies)))
      expect(decisions.map(({ remaining }) => remaining)).toEqual(clients.map(() => left))
    }
    const refused = await Promise.all(clients.map((key) => store.take(key, 1, policies)))
    expect(refused.filter(({ allowed }) => !allowed)).toHaveLength(100)
    await store.reset(clients[0]!, policies)
    expect((await store.take(clients[0]!, 0, policies)).remaining).toBe(5)
  }

  test('E08 a hundred clients under two policies, through ioredis: no key in the wrong slot', async () => {
    await exhaust(redisStore({ client, timeoutMs: 5000 }), 'ioredis')
  })

  test('E08 the same through node-redis', async () => {
    const other = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${servers[0]!.port}` }] })
    other.on('error', () => undefined)
    await other.connect()
    await exhaust(redisStore({ client: other, timeoutMs: 5000 }), 'node-redis')
    other.destroy()
  })

  test('the same through ioredis 5 that pipelines by itself', async () => {
    const other = new Cluster5([{ host: '127.0.0.1', port: servers[0]!.port }], {
      enableAutoPipelining: true,
    })
    other.on('error', () => undefined)
    await exhaust(redisStore({ client: other, timeoutMs: 5000 }), 'ioredis 5')
    other.disconnect()
  })

  test('a node that hangs makes the takes of its own slots fail, also where those of another begin', async () => {
    const store = redisStore({ client, prefix: 'edge:', timeoutMs: 100 })
    const many = [tokenBucket({ capacity: 1000, perDay: 1 })]
    const slots = new Map<number, string>()
    for (let index = 0; slots.size < 80; index += 1) {
      const slot = calculateSlot(`{${index}}`)
      if (slot > 5420 && slot <= 5500) slots.set(slot, String(index))
    }
    const [first, second] = [slots.entries(), slots.entries()].map((entries, side) =>
      [...entries].filter(([slot]) => (slot <= 5460 ? 0 : 1) === side).map(([, key]) => key),
    ) as [string[], string[]]
    const take = (keys: string[]): Promise<unknown[]> =>
      Promise.all(
        keys.map((key) =>
          store.take(key, 1, many).then(
            () => 'served',
            ({ code }) => code,
          ),
        ),
      )
    expect(new Set(await take([...first, ...second]))).toEqual(new Set(['served']))
    servers[0]!.process.kill('SIGSTOP')
    const seen = await Promise.all(
      Array.from({ length: 8 }, async (_, round) => {
        await sleep(round * 30)
        return [new Set(await take(first)), new Set(await take(second))]
      }),
    )
    servers[0]!.process.kill('SIGCONT')
    for (const [dead, alive] of seen) {
      expect(alive).toEqual(new Set(['served']))
      expect(dead!.has('served')).toBe(false)
    }
  })

  test('F7 E17 a node that dies: its clients fail in time, those of the others do not notice, and the replica knows what was spent', async () => {
    const store = redisStore({ client, timeoutMs: 200 })
    const drained = [tokenBucket({ name: 'drained', capacity: 5, perDay: 5 })]
    const clients = Array.from({ length: 60 }, (_, index) => `failover ${index}`)
    await Promise.all(clients.map((key) => store.take(key, 5, drained)))
    await sleep(100)
    await servers[0]!.kill()
    const during = await Promise.allSettled(clients.map((key) => store.take(key, 0, drained)))
    const served = during.filter(({ status }) => status === 'fulfilled').length
    expect(served).toBeGreaterThan(20)
    expect(served).toBeLessThan(60)
    const until = performance.now() + 20_000
    for (;;) {
      const after = await Promise.allSettled(clients.map((key) => store.take(key, 0, drained)))
      const left = after.map((answer) => (answer.status === 'fulfilled' ? answer.value.remaining : undefined))
      if (!left.includes(undefined)) {
        expect(left).toEqual(clients.map(() => 0))
        break
      }
      if (performance.now() > until) throw new Error('no replica took over')
      await sleep(100)
    }
  }, 40_000)
})
