/**
 * One contestant, one number of clients, one kind of answer, in a process of its own:
 * `measure.ts <contestant> <clients> <allowed|refused>` prints a `Measurement` as JSON.
 */
import { type Contestant, contestants } from './contestants.ts'
import { addressOf, randomNumbers } from './keys.ts'

export interface Measurement {
  /** Nanoseconds for a decision on a client out of all, and on one out of sixteen. */
  readonly randomNs: number
  readonly hotNs: number
  /** What the heap and the arrays outside of it grew by for each client, and what the whole process did. */
  readonly bytes: number
  readonly residentBytes: number
  /** The longest time from the end of one decision to the end of the next while clients came in. */
  readonly longestPauseMs: number
}

const BATCH = 1000
const HOT_CLIENTS = 16
const SECONDS = 0.7

async function fill(contestant: Contestant, clients: number): Promise<number> {
  let longest = 0
  let before = performance.now()
  for (let client = 0; client < clients; client += 1) {
    const answer = contestant.ask(addressOf(client))
    if (contestant.isAsync) await answer
    const now = performance.now()
    if (now - before > longest) longest = now - before
    before = now
  }
  return longest
}

/** The median over batches, each of keys that were made just before. */
async function decisionNs(contestant: Contestant, clients: number, isAllowed: boolean): Promise<number> {
  const next = randomNumbers(clients)
  const times: number[] = []
  const end = performance.now() + SECONDS * 1000
  while (performance.now() < end) {
    const keys = Array.from({ length: BATCH }, () => addressOf(next()))
    const start = performance.now()
    const asExpected = contestant.isAsync
      ? await askAsync(contestant, keys, isAllowed)
      : ask(contestant, keys, isAllowed)
    times.push(((performance.now() - start) * 1e6) / BATCH)
    if (asExpected !== BATCH)
      throw new Error(`${BATCH - asExpected} answers of ${BATCH} were not as they should be`)
  }
  // The first half warms up.
  const settled = times.slice(times.length >> 1).sort((a, b) => a - b)
  return settled[settled.length >> 1]!
}

function ask(contestant: Contestant, keys: readonly string[], isAllowed: boolean): number {
  let asExpected = 0
  for (const key of keys) if (contestant.isAllowed(contestant.ask(key)) === isAllowed) asExpected += 1
  return asExpected
}

async function askAsync(
  contestant: Contestant,
  keys: readonly string[],
  isAllowed: boolean,
): Promise<number> {
  let asExpected = 0
  for (const key of keys) if (contestant.isAllowed(await contestant.ask(key)) === isAllowed) asExpected += 1
  return asExpected
}

function held(): { bytes: number; resident: number } {
  globalThis.gc!()
  globalThis.gc!()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { bytes: heapUsed + external, resident: rss }
}

const [, , name = '', count = '', answer = ''] = process.argv
const clients = Number(count)
const isAllowed = answer === 'allowed'
const make = contestants[name]
if (make === undefined || !Number.isInteger(clients))
  throw new Error(`nobody is called ${name}, or has ${count} clients`)

// A limit of one is used up by filling; the store of koa-ratelimit lets its last token be taken for nothing.
const limit = isAllowed ? 100_000_000 : 1
// Before memory is counted, the code is compiled and the young generation has its size.
const rehearsal = make(1000, 1)
for (let round = 0; round < 500; round += 1) await fill(rehearsal, 1000)
const before = held()
const contestant = make(clients, limit)
const longestPauseMs = await fill(contestant, clients)
const after = held()
if (!isAllowed) await fill(contestant, clients)
const measurement: Measurement = {
  randomNs: await decisionNs(contestant, clients, isAllowed),
  hotNs: await decisionNs(contestant, Math.min(HOT_CLIENTS, clients), isAllowed),
  bytes: (after.bytes - before.bytes) / clients,
  residentBytes: (after.resident - before.resident) / clients,
  longestPauseMs,
}
process.stdout.write(JSON.stringify(measurement))
process.exit(0)
