import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { memoryStore, tokenBucket } from '@tickbucket/core'
import { startBackend } from '../../examples/balancer/backend.ts'
import { createBalancer } from '../../examples/balancer/balancer.ts'

/**
 * One process of the bench: `backend`, or `balancers` with the backend's address. Tells the addresses of
 * what it serves, and whenever it is asked the seconds of processor time that it has used.
 */
const [, , role = '', url = ''] = process.argv

// As the demo has them, but with room for every request of the run.
const policies = [
  tokenBucket({ name: 'burst', capacity: 1_000_000, perSecond: 1_000_000 }),
  tokenBucket({ name: 'long-run', capacity: 100_000_000, perMinute: 60_000_000 }),
]

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1e6)
})

async function startBalancer(isLimited: boolean): Promise<string> {
  const balancer = createBalancer({
    backends: [{ name: 'one', url }],
    trustedHops: ['loopback'],
    limits: isLimited ? { policies, createStore: () => memoryStore() } : undefined,
  })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  return `http://127.0.0.1:${(balancer.server.address() as AddressInfo).port}`
}

process.send?.(
  role === 'backend'
    ? (await startBackend('one')).url
    : {
        bare: await startBalancer(false),
        limited: await startBalancer(true),
        again: await startBalancer(false),
      },
)
