import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

/**
 * The balancer with its limiter and without, before one backend, loaded in turn by autocannon. Both are in
 * one process, since two of the same program differ by more than what is looked for: so does `again`, a
 * second one without, whose ratio says how far to trust the other. What is told is the median of the ratios
 * of a round. The bar is on requests per second of the balancer's own processor time, which nobody else on
 * the machine shares; requests per second are those of a machine that also runs the backend and autocannon.
 */
const ROUNDS = Number(process.argv[3] ?? 20)
const SECONDS = 1
const CONNECTIONS = 32
const BAR = 0.97

const SERVER = new URL('./balancer/server.ts', import.meta.url)
const SIDES = ['bare', 'limited', 'again'] as const
type Side = (typeof SIDES)[number]

/** Requests per second, of processor time and of time. */
interface Run {
  readonly perProcessorSecond: number
  readonly perSecond: number
}

async function start(...args: string[]): Promise<{ child: ChildProcess; told: unknown }> {
  const child = fork(SERVER, args, { execArgv: ['--conditions=@tickbucket/source'] })
  const [told] = (await once(child, 'message')) as [unknown]
  return { child, told }
}

async function processorSeconds(child: ChildProcess): Promise<number> {
  child.send('how long?')
  const [seconds] = (await once(child, 'message')) as [number]
  return seconds
}

async function load(child: ChildProcess, url: string): Promise<Run> {
  const before = await processorSeconds(child)
  // Every connection is another client, by the word of a trusted hop, as a balancer sees them.
  let client = 0
  const { non2xx, errors, requests, duration } = await autocannon({
    url,
    duration: SECONDS,
    connections: CONNECTIONS,
    setupClient: (connection) => {
      client += 1
      connection.setHeaders({ 'x-forwarded-for': `10.0.0.${client}` })
    },
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were no success, ${errors} were none`)
  return {
    perProcessorSecond: requests.total / ((await processorSeconds(child)) - before),
    perSecond: requests.total / duration,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

const backend = await start('backend')
const { child, told } = await start('balancers', backend.told as string)
const urls = told as Record<Side, string>

const rounds: Record<Side, Run>[] = []
// The first rounds warm up, and whoever goes first in one round goes last in the next.
for (let round = -3; round < ROUNDS; round += 1) {
  const runs: Partial<Record<Side, Run>> = {}
  for (let turn = 0; turn < SIDES.length; turn += 1) {
    const side = SIDES[(round + SIDES.length + turn) % SIDES.length]!
    runs[side] = await load(child, urls[side])
  }
  if (round >= 0) rounds.push(runs as Record<Side, Run>)
}
backend.child.kill()
child.kill()

const toBare = (side: Side, of: keyof Run): number =>
  median(rounds.map((runs) => runs[side][of] / runs.bare[of]))

console.log(
  '| side | requests per processor second | requests per second | to bare, of each |\n|---|---|---|---|',
)
for (const side of SIDES) {
  const [perProcessorSecond, perSecond] = (['perProcessorSecond', 'perSecond'] as const).map((of) => [
    Math.round(median(rounds.map((runs) => runs[side][of]))),
    toBare(side, of).toFixed(3),
  ])
  console.log(
    `| ${side} | ${perProcessorSecond![0]} | ${perSecond![0]} | ${perProcessorSecond![1]}, ${perSecond![1]} |`,
  )
}
const ratio = toBare('limited', 'perProcessorSecond')
console.log(`\nlimited to bare: ${ratio.toFixed(3)}`)
if (!(ratio >= BAR)) {
  console.error(`The bar is ${BAR}.`)
  process.exitCode = 1
}
