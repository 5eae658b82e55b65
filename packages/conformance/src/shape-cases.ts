import { deepStrictEqual } from 'node:assert'
import {
  fixedWindow,
  leakyBucket,
  type Policy,
  type ShapeName,
  slidingWindow,
  tokenBucket,
} from '@tickbucket/core'
import { type Bench, type StoreCase, storeCase } from './store-case.ts'

/** One small policy of each shape: three at most, and three in each 130 ms in the long run. */
const SMALL: readonly Policy[] = [
  tokenBucket({ name: 'bucket', capacity: 3, rate: 3, periodMs: 130 }),
  leakyBucket({ name: 'queue', queue: 2, rate: 3, periodMs: 130 }),
  slidingWindow({ name: 'any', limit: 3, windowMs: 130 }),
  fixedWindow({ name: 'each', limit: 3, windowMs: 130 }),
]

/** What every shape owes in every store. */
const ofEachShape: readonly StoreCase[] = SMALL.flatMap((policy) => {
  const { shape } = policy
  return [
    ...[1, 2, 3].map((cost) =>
      caseOf(
        shape,
        `a cost of ${cost} is refused at every millisecond before retryAfterMs, allowed exactly at it`,
        async ({ clock, take, allowed, refused }) => {
          for (const byMs of [0, 17, 29, 0]) {
            clock.advance(byMs)
            await take([policy])
          }
          const { retryAfterMs } = await take([policy], { cost })
          for (let wait = retryAfterMs; wait > 0; wait -= 1) {
            await refused([policy], wait, { cost })
            clock.advance(1)
          }
          await allowed([policy], { cost })
        },
      ),
    ),
    caseOf(shape, 'of a hundred at once exactly three pass', async ({ take }) => {
      const decisions = await Promise.all(Array.from({ length: 100 }, async () => take([policy])))
      deepStrictEqual(decisions.filter(({ allowed }) => allowed).length, 3)
    }),
    caseOf(
      shape,
      'what is full again may be forgotten, and nobody can tell',
      async ({ clock, take, allowed, refused }) => {
        await take([policy], { cost: 2 })
        clock.advance(7)
        const { readings } = await take([policy])
        clock.advance(readings[0]!.resetAfterMs - 1)
        await refused([policy], 1, { cost: 3 })
        clock.advance(1)
        await allowed([policy], { cost: 3, left: 0 })
        clock.advance(1_000_000)
        await allowed([policy], { left: 2 })
      },
    ),
    caseOf(shape, 'refusals change nothing', async ({ clock, take, left }) => {
      const start = clock()
      await take([policy], { cost: 2 })
      for (let time = 0; time < 3; time += 1) await take([policy], { cost: 2 })
      deepStrictEqual(await left([policy]), [1])
      await take([policy])
      const passed: number[] = []
      for (let at = 1; at <= 400; at += 1) {
        clock.set(start + at)
        if ((await take([policy], { cost: 3 })).allowed) passed.push(at)
      }
      // The fixed window that holds 1,000,000 is 40 ms old.
      deepStrictEqual(passed, shape === 'fixed-window' ? [90, 220, 350] : [130, 260, 390])
    }),
    ...SMALL.filter((other) => other !== policy).map((other) =>
      storeCase(
        `${wordsOf(shape)} before ${wordsOf(other.shape)}: all are charged or none`,
        async ({ take, left }) => {
          await take([other], { cost: 2 })
          deepStrictEqual((await take([policy, other], { cost: 2 })).allowed, false)
          deepStrictEqual(await left([policy, other]), [3, 1])
          deepStrictEqual((await take([policy, other])).allowed, true)
          deepStrictEqual(await left([policy, other]), [2, 0])
        },
        [shape, other.shape],
      ),
    ),
  ]
})

/** A case of one shape beyond what all owe. */
function caseOf(shape: ShapeName, what: string, steps: (bench: Bench) => Promise<void>): StoreCase {
  return storeCase(`${wordsOf(shape)}: ${what}`, steps, [shape])
}

function wordsOf(shape: ShapeName): string {
  return shape.replace('-', ' ')
}

const leaky: readonly StoreCase[] = [
  caseOf('leaky-bucket', 'of ten at once each waits for those before it', async ({ take }) => {
    const policies = [leakyBucket({ name: 'paced', queue: 5, after: 1, rate: 3, periodMs: 1000 })]
    const decisions = await Promise.all(Array.from({ length: 10 }, async () => take(policies)))
    deepStrictEqual(
      decisions.map(({ allowed, delayMs }) => (allowed ? delayMs : -1)).toSorted((a, b) => a - b),
      [-1, -1, -1, -1, 0, 0, 334, 667, 1000, 1334],
    )
  }),
  caseOf('leaky-bucket', 'a read waits for nothing, and a refusal neither', async ({ take }) => {
    const policies = [leakyBucket({ name: 'paced', queue: 1, perSecond: 1 })]
    const delays: number[] = []
    for (const cost of [1, 1, 0, 1]) delays.push((await take(policies, { cost })).delayMs)
    deepStrictEqual(delays, [0, 1000, 0, 0])
  }),
  caseOf('leaky-bucket', 'the delay of a decision is the longest of its policies', async ({ take }) => {
    const policies = [
      leakyBucket({ name: 'slow', queue: 3, perSecond: 1 }),
      leakyBucket({ name: 'quick', queue: 3, perSecond: 10 }),
      tokenBucket({ name: 'bucket', capacity: 5, perSecond: 1 }),
    ]
    await take(policies)
    const { delayMs, readings } = await take(policies)
    deepStrictEqual([delayMs, ...readings.map((reading) => reading.delayMs)], [1000, 1000, 100, 0])
  }),
]

const windows: readonly StoreCase[] = [
  caseOf(
    'sliding-window',
    'a burst at the end of a minute leaves nothing for the start of the next',
    async ({ clock, take, refused, allowed }) => {
      const policies = [slidingWindow({ name: 'minute', perMinute: 5 })]
      clock.set(119_999)
      await take(policies, { cost: 5 })
      clock.set(120_000)
      await refused(policies, 59_999)
      clock.set(179_999)
      await allowed(policies, { cost: 5 })
    },
  ),
  caseOf(
    'fixed-window',
    'minutes begin with the clock’s, whenever a client came first',
    async ({ clock, take, refused, allowed }) => {
      const policies = [fixedWindow({ name: 'minute', perMinute: 5 })]
      clock.set(119_999)
      await take(policies, { cost: 5 })
      await refused(policies, 1)
      clock.set(120_000)
      await allowed(policies, { cost: 5 })
      await refused(policies, 60_000)
    },
  ),
]

/** What a store owes that keeps policies of every shape. */
export const shapeCases: readonly StoreCase[] = [...ofEachShape, ...leaky, ...windows]
