import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

/**
 * The balancer with its limiter and without, each a process of its own before one backend, loaded in
 * turn by autocannon. What is told is the median of the ratios of runs that followed one another, of
 * requests per second of the balancer's own processor time, which nobody else on the machine shares.
 */
const ROUNDS = Number(process.argv[3] ?? 15)
const SECONDS = 2
const CONNECTIONS = 32
const BAR = 0.97

const SERVER = new URL('./balancer/server.ts', import.meta.url)

interface Server {
  readonly child: ChildProcess
  readonly url: string
}

async function start(...args: string[]): Promise<Server> {
  const child = fork(SERVER, args, { execArgv: ['--conditions=@tickbucket/source'] })
  const [url] = (await once(child, 'message')) as [string]
  return { child, url }
}

async function processorSeconds(child: ChildProcess): Promise<number> {
  child.send('how long?')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

async function throughput({ child, url }: Server, duration: number): Promise<number> {
  const before = await processorSeconds(child)
  // Every connection is another client, by the word of a trusted hop, as a balancer sees them.
  let client = 0
  const { non2xx, errors, requests } = await autocannon({
    url,
    duration,
    connections: CONNECTIONS,
    setupClient: (connection) => {
      client += 1
      connection.setHeaders({ 'x-forwarded-for': `10.0.0.${client}` })
    },
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were no success, ${errors} were none`)
  return requests.total / ((await processorSeconds(child)) - before)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

const backend = await start('backend')
const bare = await start('bare', backend.url)
const limited = await start('limited', backend.url)
for (const server of [bare, limited]) await throughput(server, 2)

const rounds: { bare: number; limited: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  // Whoever goes first in one round goes second in the next.
  const first = round % 2 === 0 ? bare : limited
  const one = await throughput(first, SECONDS)
  const other = await throughput(first === bare ? limited : bare, SECONDS)
  rounds.push(first === bare ? { bare: one, limited: other } : { bare: other, limited: one })
}
for (const { child } of [backend, bare, limited]) child.kill()

const ratio = median(rounds.map(({ bare, limited }) => limited / bare))
console.log('| side | requests per processor second |\n|---|---|')
console.log(`| bare | ${Math.round(median(rounds.map(({ bare }) => bare)))} |`)
console.log(`| limited | ${Math.round(median(rounds.map(({ limited }) => limited)))} |`)
console.log(`\nlimited to bare: ${ratio.toFixed(3)}`)
if (!(ratio >= BAR)) {
  console.error(`The bar is ${BAR}.`)
  process.exitCode = 1
}
