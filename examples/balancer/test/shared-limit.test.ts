import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tokenBucket } from '@tickbucket/core'
import { afterAll, describe, expect, test } from 'vitest'
import { findRedisServer, startRedis } from '../../../packages/redis/test/support/redis-server.ts'
import { startBackend } from '../backend.ts'
import { createBalancer } from '../balancer.ts'
import { bucketsAt } from '../store.ts'
import { ask, reached } from './support.ts'

const command = findRedisServer()

describe.skipIf(command === undefined)('over one Redis', () => {
  const stops: (() => unknown)[] = []
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop()
  })

  test('two saturated balancers admit one limit between them, before and after it changes', async () => {
    const redis = await startRedis(command!)
    stops.push(() => redis.kill())
    const backends = await Promise.all([startBackend('one'), startBackend('two')])
    stops.push(() => Promise.all(backends.map((backend) => backend.kill())))
    const balancers = await Promise.all(
      [1, 2].map(async () => {
        const buckets = await bucketsAt(`redis://127.0.0.1:${redis.port}`)
        const balancer = createBalancer({
          backends,
          trustedHops: ['loopback'],
          limits: {
            policies: [tokenBucket({ name: 'burst', capacity: 20, perHour: 1 })],
            createStore: (policies) => buckets.createStore(policies),
            balancers: 2,
          },
        })
        balancer.server.listen(0, '127.0.0.1')
        await once(balancer.server, 'listening')
        stops.push(async () => {
          await balancer.close(0)
          buckets.close()
        })
        return { balancer, buckets, port: (balancer.server.address() as AddressInfo).port }
      }),
    )
    const admitted = async (client: string): Promise<number> => {
      const headers = { 'x-forwarded-for': client }
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => ask(balancers[index % 2]!.port, { headers })),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
      return answers.filter(({ status }) => status === 200).length
    }
    expect([await admitted('192.0.2.1'), await admitted('192.0.2.2')]).toEqual([20, 20])
    for (const { balancer } of balancers) {
      balancer.limits?.change([tokenBucket({ name: 'burst', capacity: 30, perHour: 1 })])
    }
    expect(await admitted('192.0.2.1')).toBe(30)
    expect(reached(backends)).toBe(70)
  })
})
