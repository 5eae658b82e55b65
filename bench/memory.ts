/**
 * `bench memory [--all]`: what a decision in memory costs, what a client takes, and the longest pause
 * while clients come in, beside the stores in memory of other packages. Every measurement is made in
 * a process of its own, the contestants take turns, and medians are shown. With `--all` the others
 * try the largest sizes, too, which takes many minutes and gigabytes.
 */
import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'
import { contestants } from './memory/contestants.ts'
import type { Measurement } from './memory/measure.ts'

const US = 'tickbucket'
const NAMES = Object.keys(contestants)
const PEERS = NAMES.filter((name) => name !== US)
/** The bars are against these: all but koa-ratelimit's, which never forgets anyone. */
const RIVALS = PEERS.filter((name) => name !== 'koa-ratelimit')

interface Size {
  readonly clients: number
  readonly names: readonly string[]
  readonly rounds: number
  readonly answers: readonly ('allowed' | 'refused')[]
}

const LARGE = process.argv.includes('--all') ? NAMES : [US]
const SIZES: readonly Size[] = [
  { clients: 1000, names: NAMES, rounds: 3, answers: ['allowed', 'refused'] },
  { clients: 100_000, names: NAMES, rounds: 3, answers: ['allowed', 'refused'] },
  { clients: 1_000_000, names: NAMES, rounds: 3, answers: ['allowed', 'refused'] },
  { clients: 10_000_000, names: LARGE, rounds: 1, answers: ['allowed', 'refused'] },
  { clients: 20_000_000, names: LARGE, rounds: 1, answers: ['allowed', 'refused'] },
]

function measured(name: string, clients: number, answer: string): Measurement | string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=@tickbucket/source',
      '--expose-gc',
      // On a busy machine a parallel scavenge waits for threads that do not run: up to 150 ms were seen.
      '--no-parallel-scavenge',
      '--max-old-space-size=12000',
      new URL('./memory/measure.ts', import.meta.url).pathname,
      name,
      String(clients),
      answer,
    ],
    { encoding: 'utf8' },
  )
  if (status === 0) return JSON.parse(stdout) as Measurement
  return /^(?:\w*Error): .*$/m.exec(stderr)?.[0] ?? `exit status ${status}`
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

type Results = ReadonlyMap<string, readonly Measurement[]>

/** One row: a figure of each contestant, and how many times ours the best rival's is. */
function row(
  size: Size,
  what: string,
  results: Results,
  figure: (m: Measurement) => number,
  digits: number,
): string {
  const figures = new Map([...results].map(([name, list]) => [name, median(list.map(figure))]))
  const cells = NAMES.map((name) => figures.get(name)?.toFixed(digits) ?? '')
  const rivals = RIVALS.flatMap((name) => figures.get(name) ?? [])
  const ratio = rivals.length === 0 ? '' : `${(Math.min(...rivals) / figures.get(US)!).toFixed(2)}x`
  return `| ${[size.clients.toLocaleString('en'), what, ...cells, ratio].join(' | ')} |`
}

const failures: string[] = []
const rows: string[] = []
for (const size of SIZES) {
  for (const answer of size.answers) {
    const results = new Map<string, Measurement[]>()
    for (let round = 0; round < size.rounds; round += 1) {
      for (const name of size.names) {
        const seen = measured(name, size.clients, answer)
        if (typeof seen === 'string')
          failures.push(`${name} at ${size.clients.toLocaleString('en')}: ${seen}`)
        else results.set(name, [...(results.get(name) ?? []), seen])
      }
    }
    rows.push(
      row(size, `ns a decision, random clients, ${answer}`, results, (m) => m.randomNs, 0),
      row(size, `ns a decision, 16 clients, ${answer}`, results, (m) => m.hotNs, 0),
    )
    if (answer !== 'allowed') continue
    rows.push(row(size, 'longest pause while filling, ms', results, (m) => m.longestPauseMs, 1))
    // Below a million what the process itself takes hides what a client does.
    if (size.clients < 1_000_000) continue
    rows.push(
      row(size, 'bytes a client, heap and arrays', results, (m) => m.bytes, 0),
      row(size, 'bytes a client, resident', results, (m) => m.residentBytes, 0),
    )
  }
  process.stderr.write(`${size.clients.toLocaleString('en')} clients: done\n`)
}

const headings = ['clients', 'what', ...NAMES, 'best of the first three others / ours']
process.stdout.write(
  [
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`,
    '',
    `| ${headings.join(' | ')} |`,
    `|${' --- |'.repeat(headings.length)}`,
    ...rows,
    ...(failures.length === 0 ? [] : ['', ...failures]),
    '',
  ].join('\n'),
)
