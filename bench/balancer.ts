import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

/**
 * The balancer with its limiter and without, each a process of its own before one backend, loaded in
 * turn by autocannon. Quotes medians, and their ratio, which must be at least 0.97.
 */
const ROUNDS = 15
const SECONDS = 2
const CONNECTIONS = 32
const BAR = 0.97

const SERVER = new URL('./balancer/server.ts', import.meta.url)
const children: ChildProcess[] = []

async function start(...args: string[]): Promise<string> {
  const child = fork(SERVER, args, { execArgv: ['--conditions=@tickbucket/source'] })
  children.push(child)
  const [url] = (await once(child, 'message')) as [string]
  return url
}

async function load(url: string, seconds: number): Promise<number> {
  // Every connection is another client, by the word of a trusted hop, as a balancer sees them.
  let next = 0
  const result = await autocannon({
    url,
    duration: seconds,
    connections: CONNECTIONS,
    setupClient: (client) => {
      next += 1
      client.setHeaders({ 'x-forwarded-for': `10.0.0.${next}` })
    },
  })
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${result.errors} errors and ${result.non2xx} answers that are no 2xx`)
  }
  return result.requests.total / result.duration
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

const backend = await start('backend')
const urls = { bare: await start('bare', backend), limited: await start('limited', backend) }
const figures = { bare: [] as number[], limited: [] as number[] }
for (const name of ['bare', 'limited'] as const) await load(urls[name], 2)
for (let round = 0; round < ROUNDS; round += 1) {
  // Whoever goes first in one round goes second in the next.
  const names = ['bare', 'limited'] as const
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    figures[name].push(await load(urls[name], SECONDS))
  }
}
for (const child of children) child.kill()

const ratios = figures.limited.map((limited, round) => limited / figures.bare[round]!)
console.log(`bare     ${Math.round(median(figures.bare))} requests/s, the median of ${ROUNDS}`)
console.log(`limited  ${Math.round(median(figures.limited))} requests/s`)
console.log(
  `ratio    ${median(ratios).toFixed(3)}, the median of ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')}`,
)
if (median(ratios) < BAR) {
  console.error(`The bar is ${BAR}.`)
  process.exitCode = 1
}
