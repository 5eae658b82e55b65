import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { tokenBucket } from '@tickbucket/core'
import { send } from '../burst.ts'
import { listenOn, portFromEnv } from '../listen.ts'
import { createAdmin } from './admin/admin.ts'
import { startBackend } from './backend.ts'
import { createBalancer } from './balancer.ts'
import { createLedger } from './ledger.ts'
import { bucketsAt } from './store.ts'
import { createTraffic } from './traffic.ts'

const BURST = { name: 'burst', capacity: 5, perMinute: 60 }
const LONG_RUN = { name: 'long-run', capacity: 15, perMinute: 20 }

const { once: isOnce, redis } = readArguments()
const port = portFromEnv()
const ledger = createLedger()
const buckets = await bucketsAt(redis).catch((error: unknown) => {
  console.error(`No Redis at ${redis}: ${(error as Error).message}`)
  return process.exit(1)
})
const backends = await Promise.all(['one', 'two', 'three'].map((name) => startBackend(name)))
const balancer = createBalancer({
  backends,
  trustedHops: ['loopback'],
  limits: {
    policies: [tokenBucket(BURST), tokenBucket(LONG_RUN)],
    createStore: (policies) => buckets.createStore(policies),
    balancers: redis === undefined ? 1 : 2,
  },
  onDecision: (event) => ledger.note(event),
})
const url = await listenOn(balancer.server, port)
const traffic = createTraffic(url)
const admin = createAdmin({ balancer, ledger, traffic, servers: backends })
const pageUrl = await listenOn(admin, await adminPort(), { host: '127.0.0.1', variable: 'ADMIN_PORT' })

console.log(`A balancer on ${url}, in front of ${backends.length} backends.`)
console.log('Each client has 5 tokens, and 60 more flow in per minute; in the long run, 20 do.')
console.log('Seven requests at once:\n')
let retryAfter = 0
for (let count = 0; count < 7; count += 1) retryAfter = (await send(url)) ?? retryAfter
console.log(`The last one was told to come back in ${retryAfter} s. So it does:\n`)
await sleep(retryAfter * 1000)
await send(url)

if (isOnce) await stop()
else {
  traffic.toggle('visitors')
  console.log(`Watch buckets drain and refill:  ${pageUrl}`)
  console.log(`Still serving; try it yourself:  curl -i ${url}`)
  console.log('Ctrl-C stops it.')
  process.once('SIGINT', () => void stop())
  process.once('SIGTERM', () => void stop())
}

async function stop(): Promise<void> {
  traffic.stop()
  admin.close()
  admin.closeAllConnections()
  await balancer.close()
  await Promise.all(backends.map((backend) => backend.kill()))
  buckets.close()
}

function readArguments(): { once: boolean; redis: string | undefined } {
  const options = { once: { type: 'boolean' }, redis: { type: 'string' } } as const
  try {
    const { once = false, redis = process.env['REDIS_URL'] } = parseArgs({ options }).values
    return { once, redis }
  } catch {
    const given = process.argv.slice(2).join(' ')
    console.error(`The demo takes --once and --redis URL and nothing else, not ${given}.`)
    return process.exit(2)
  }
}

/** What `ADMIN_PORT` says; else the port beside the balancer's, or any if that is taken. */
async function adminPort(): Promise<number> {
  const beside = Number(new URL(url).port) + 1
  if (process.env['ADMIN_PORT'] !== undefined) return portFromEnv('ADMIN_PORT')
  if (port === 0 || beside > 65_535) return 0
  const probe = createServer().listen(beside, '127.0.0.1')
  const isFree = await Promise.race([
    once(probe, 'listening').then(() => true),
    once(probe, 'error').then(() => false),
  ]).catch(() => false)
  if (isFree) await new Promise((resolve) => probe.close(resolve))
  return isFree ? beside : 0
}
