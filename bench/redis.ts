import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Policy, tokenBucket } from '@tickbucket/core'
import { redisStore } from '@tickbucket/redis'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { RedisStore } from 'rate-limit-redis'
import { findRedisServer, startRedis } from '../packages/redis/test/support/redis-server.ts'

/**
 * What a limit in Redis costs: round trips a request at half, once and four times the rate; and
 * takes per second and processor time per take beside other packages, over one server, in turns.
 */
const server = await startRedis(findRedisServer() ?? 'redis-server')
const client = new Redis({ port: server.port })
const ROUNDS = 7
const ROUND_MS = 800
const WORKERS = 64
const CLIENTS = 1000

async function roundTrips(load: number, policies: readonly Policy[]): Promise<number> {
  let calls = 0
  const counted = {
    evalsha: (sha: string, keys: readonly string[], args: readonly string[]) => (
      (calls += 1),
      client.evalsha(sha, keys.length, ...keys, ...args)
    ),
    eval: (source: string, keys: readonly string[], args: readonly string[]) =>
      client.eval(source, keys.length, ...keys, ...args),
  }
  const store = redisStore({
    client: counted,
    prefix: `trips ${load} ${policies.length}:`,
    timeoutMs: 10_000,
  })
  const [{ rate }] = policies as [Policy]
  const start = performance.now()
  let asked = 0
  const answers: Promise<unknown>[] = []
  for (let passed = 0; passed < 3000; passed = performance.now() - start) {
    for (; asked < (passed / 1000) * rate * load; asked += 1) {
      answers.push(store.take('client', 1, policies))
      // Requests come in turns of the event loop of their own.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await sleep(1)
  }
  await Promise.all(answers)
  return calls / asked
}

const require = createRequire(import.meta.url)
/** How the store of @fastify/rate-limit is called; it has no types of its own. */
interface FastifyStore {
  incr(key: string, done: (error: Error | null, answer: unknown) => void, windowMs: number, max: number): void
}
const FastifyRedisStore = require('@fastify/rate-limit/store/RedisStore.js') as new (
  ...args: unknown[]
) => FastifyStore

const MOST = 1_000_000_000
const one = [tokenBucket({ capacity: MOST, perSecond: 1000 })]
const ours = redisStore({ client, timeoutMs: 10_000 })
const flexible = new RateLimiterRedis({
  storeClient: client,
  points: MOST,
  duration: 60,
  keyPrefix: 'flexible',
})
const express = new RedisStore({
  prefix: 'express:',
  sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<number>,
})
await express.init?.({ windowMs: 60_000 } as never)
const fastify = new FastifyRedisStore(false, false, client, 'fastify:')

const CONTESTANTS: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
  tickbucket: (key) => ours.take(key, 1, one),
  'rate-limiter-flexible': (key) => flexible.consume(key),
  'rate-limit-redis': (key) => Promise.resolve(express.increment(key)),
  '@fastify/rate-limit': (key) =>
    new Promise((resolve, reject) =>
      fastify.incr(key, (error, answer) => (error ? reject(error) : resolve(answer)), 60_000, MOST),
    ),
}

type Seen = readonly [perSecond: number, ours: number, servers: number]

/** Microseconds of processor that the server has used. */
async function serverTime(): Promise<number> {
  const info = await client.info('cpu')
  return ['user', 'sys'].reduce(
    (sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1]) * 1e6,
    0,
  )
}

/** Takes a second, and microseconds of this process's and of the server's processor a take. */
async function round(take: (key: string) => Promise<unknown>): Promise<Seen> {
  let count = 0
  const before = await serverTime()
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const work = async (): Promise<void> => {
    while (performance.now() - start < ROUND_MS) {
      await take(`client ${Math.floor(Math.random() * CLIENTS)}`)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  const { user, system } = process.cpuUsage(cpu)
  const rate = (count * 1000) / (performance.now() - start)
  return [rate, (user + system) / count, ((await serverTime()) - before) / count]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

console.log('| load | round trips a request, one policy | three policies |\n|---|---|---|')
const three = [
  tokenBucket({ name: 'a', capacity: 10, perSecond: 100 }),
  tokenBucket({ name: 'b', capacity: 1_000_000, perDay: 1_000_000 }),
  tokenBucket({ name: 'c', capacity: 1_000_000, perHour: 1_000_000 }),
]
for (const load of [0.5, 1, 4]) {
  const policies = [tokenBucket({ capacity: 10, perSecond: 100 })]
  console.log(
    `| ${load}x | ${(await roundTrips(load, policies)).toFixed(2)} | ${(await roundTrips(load, [{ ...three[0]!, rate: 100, periodMs: 1000 }, three[1]!, three[2]!])).toFixed(2)} |`,
  )
}

const rounds = Object.keys(CONTESTANTS).map((): Seen[] => [])
for (const take of Object.values(CONTESTANTS)) await round(take)
for (let time = 0; time < ROUNDS; time += 1) {
  for (const [index, take] of Object.values(CONTESTANTS).entries()) rounds[index]!.push(await round(take))
}
console.log(
  '\n| store | throughput, to ours | processor time a take here, to ours | in the server, to ours |\n|---|---|---|---|',
)
for (const [index, name] of Object.keys(CONTESTANTS).entries()) {
  const to = (which: 0 | 1 | 2): string =>
    median(rounds[index]!.map((seen, time) => seen[which] / rounds[0]![time]![which])).toFixed(2)
  console.log(`| ${name} | ${to(0)} | ${to(1)} | ${to(2)} |`)
}
client.disconnect()
await server.kill()
