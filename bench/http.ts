import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import autocannon from 'autocannon'

/**
 * Requests per second of each framework's hello-world: without a limiter, with a middleware that sets
 * two constant fields and decides nothing, with ours, and with the framework's best-known limiter. Every
 * server is a process of its own; short runs alternate, and what is told is the median of the ratios of
 * runs that followed one another, all to the framework without anything. The first of two figures is of
 * seconds, as the client counts them; the second is of seconds of the server's own processor time, which
 * leaves out what the client and the machine take. `bench http [rounds [framework]]`.
 */
const ROUNDS = Number(process.argv[3] ?? 7)
const ONLY = process.argv[4]
const SECONDS = 1.5

const PEERS: Readonly<Record<string, string | undefined>> = {
  express: 'express-rate-limit',
  fastify: '@fastify/rate-limit',
  koa: 'koa-ratelimit',
  hono: 'hono-rate-limiter',
  http: undefined,
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

async function start(framework: string, side: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'http/server.ts'), [framework, side], {
    execArgv: ['--conditions=@tickbucket/source'],
  })
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

/** Requests per second, and per second of the server's processor. */
type Rates = readonly [perSecond: number, perProcessorSecond: number]

async function throughput({ child, port }: Server, duration: number): Promise<Rates> {
  const before = await processorSeconds(child)
  const result = await autocannon({ url: `http://localhost:${port}/`, connections: 20, duration })
  const { non2xx, errors, requests } = result
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were no success, ${errors} were none`)
  return [requests.total / result.duration, requests.total / ((await processorSeconds(child)) - before)]
}

async function processorSeconds(child: ChildProcess): Promise<number> {
  child.send('how long?')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

console.log(
  '| framework | two fields alone | ours | peer | ours to peer | the peer |\n|---|---|---|---|---|---|',
)
for (const [framework, peer] of Object.entries(PEERS)) {
  if (ONLY !== undefined && framework !== ONLY) continue
  const sides = peer === undefined ? ['bare', 'fields', 'ours'] : ['bare', 'fields', 'ours', 'peer']
  const servers = await Promise.all(sides.map((side) => start(framework, side)))
  for (const server of servers) await throughput(server, 1)
  const rounds: Rates[][] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const rates: Rates[] = []
    for (const server of servers) rates.push(await throughput(server, SECONDS))
    rounds.push(rates)
  }
  const ratio = (side: number, to: number): string =>
    [0, 1]
      .map((unit) => median(rounds.map((rates) => rates[side]![unit]! / rates[to]![unit]!)).toFixed(2))
      .join(', ')
  const peers = peer === undefined ? '| |' : `${ratio(3, 0)} | ${ratio(2, 3)} | ${peer}`
  console.log(`| ${framework} | ${ratio(1, 0)} | ${ratio(2, 0)} | ${peers} |`)
  for (const { child } of servers) child.kill()
}
