import { tokenBucket } from '@tickbucket/core'
import { redisStore } from '../../src/index.ts'
import { ioredis } from './clients.ts'

// One of several processes that ask for one key as fast as they can, over several connections.
const [port, connections, forMs] = process.argv.slice(2).map(Number) as [number, number, number]
const policies = [tokenBucket({ capacity: 10_000, perSecond: 1000 })]
const until = performance.now() + forMs

const admitted = await Promise.all(
  Array.from({ length: connections }, async () => {
    const client = ioredis(port)
    const store = redisStore({ client, timeoutMs: 5000 })
    let count = 0
    while (performance.now() < until) {
      if ((await store.take('hammered', 1, policies)).allowed) count += 1
      else await new Promise((resolve) => setImmediate(resolve))
    }
    client.disconnect()
    return count
  }),
)
process.send?.(admitted.reduce((sum, count) => sum + count, 0))
