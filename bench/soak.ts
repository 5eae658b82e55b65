/**
 * `bench soak`: an hour of traffic, at a clock that is turned by hand, in which ten million keys come
 * and go in turn. The store must reach a size and keep it, and never pause. Ends with a verdict.
 */
import { manualClock } from '@tickbucket/conformance'
import { memoryStore, tokenBucket } from '@tickbucket/core'
import { addressOf } from './memory/keys.ts'
import { Pauses } from './memory/pauses.ts'

const KEYS = 10_000_000
const MINUTES = 60
/** 15,000 requests a second: each key comes back after eleven minutes. */
const REQUESTS_PER_MS = 15

const clock = manualClock()
const store = memoryStore({ clock, maxClients: KEYS })
// A request is forgotten after one minute.
const policies = Object.freeze([tokenBucket({ capacity: 10, perMinute: 1 })])

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

const resident: number[] = []
const held: number[] = []
const pauses = new Pauses()
let next = 0
for (let minute = 1; minute <= MINUTES; minute += 1) {
  for (let ms = 0; ms < 60_000; ms += 1) {
    clock.advance(1)
    for (let request = 0; request < REQUESTS_PER_MS; request += 1) {
      store.take(addressOf(next), 1, policies)
      next = (next + 1) % KEYS
    }
    pauses.mark()
  }
  const { clients, bytes, droppedEarly } = store.stats()
  resident.push(process.memoryUsage.rss())
  held.push(bytes)
  if (minute % 10 === 0) {
    process.stdout.write(
      `minute ${minute}: ${clients.toLocaleString('en')} clients, ${megabytes(bytes)} of buckets, ` +
        `${megabytes(resident.at(-1)!)} resident, ${droppedEarly} dropped early\n`,
    )
  }
  pauses.resume()
}

// The first ten minutes are those in which the store grows.
const [then, now] = [Math.max(...held.slice(5, 10)), Math.max(...held.slice(-5))]
const isFlat = now <= then * 1.1 && resident.at(-1)! <= resident[10]! * 1.1
const isSmooth = pauses.longestMs < 10
process.stdout.write(
  `memory ${isFlat ? 'flat' : 'NOT FLAT'}: ${megabytes(then)} of buckets after ten minutes, ${megabytes(now)} after ${MINUTES}\n` +
    `longest pause ${pauses.longestMs.toFixed(1)} ms: ${isSmooth ? 'under' : 'NOT UNDER'} 10 ms\n`,
)
process.exit(isFlat && isSmooth ? 0 : 1)
