import { clientKey } from '@tickbucket/core'
import { ipKeyGenerator } from 'express-rate-limit'

/** What it costs to make a key of an address, beside express-rate-limit's; medians of alternating runs. */
const RUNS = 21
const TIMES = 200_000

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  IPv4: Array.from({ length: 1000 }, (_, index) => `198.51.${index % 256}.${(index * 7) % 256}`),
  'IPv4-mapped': Array.from(
    { length: 1000 },
    (_, index) => `::ffff:198.51.${index % 256}.${(index * 7) % 256}`,
  ),
  IPv6: Array.from(
    { length: 1000 },
    (_, index) => `2001:db8:${(index * 7).toString(16)}:${index.toString(16)}::${(index * 31).toString(16)}`,
  ),
}

let kept = 0

/** Nanoseconds a key, of one run. */
function cost(make: (address: string) => string | undefined, addresses: readonly string[]): number {
  const start = process.hrtime.bigint()
  for (let time = 0; time < TIMES; time += 1) kept += make(addresses[time % addresses.length]!)?.length ?? 0
  return Number(process.hrtime.bigint() - start) / TIMES
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

console.log('| address | ours | express-rate-limit | ratio |\n|---|---|---|---|')
for (const [name, addresses] of Object.entries(ADDRESSES)) {
  const runs = Array.from({ length: RUNS }, () => [
    cost((address) => clientKey(address, 56), addresses),
    cost((address) => ipKeyGenerator(address, 56), addresses),
  ])
  const [ours, peer] = [0, 1].map((side) => median(runs.map((run) => run[side]!))) as [number, number]
  console.log(`| ${name} | ${ours.toFixed(0)} ns | ${peer.toFixed(0)} ns | ${(peer / ours).toFixed(1)}x |`)
}
if (kept === 0) throw new Error('nothing was made')
