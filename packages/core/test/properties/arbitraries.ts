import {
  fixedWindow,
  leakyBucket,
  type Policy,
  type ShapeName,
  slidingWindow,
  tokenBucket,
} from '@tickbucket/core'
import fc from 'fast-check'

const MOST = Number.MAX_SAFE_INTEGER

/** Whole numbers of every size, small ones most often. */
function wholeUpTo(most: number): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: Math.min(10, most) }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: Math.min(100_000, most) }) },
    { weight: 1, arbitrary: fc.maxSafeNat().map((value) => 1 + (value % most)) },
    { weight: 1, arbitrary: fc.constant(most) },
  )
}

const NAMES = fc.constantFrom('a', 'b', 'c', 'd')
const PERIODS = fc.oneof(
  fc.constantFrom(1, 1000, 13_000, 60_000, 86_400_000, 30 * 86_400_000),
  wholeUpTo(Math.floor(MOST / 2)),
)

/** A name, and numbers of every size whose product is exact: the awkward ones and those at the edge of 2^53 among them. */
const anyNumbers = PERIODS.chain((periodMs) =>
  fc.record({
    name: NAMES,
    size: wholeUpTo(Math.floor(MOST / periodMs)),
    rate: wholeUpTo(MOST),
    periodMs: fc.constant(periodMs),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

/** Any policy of each shape. */
export const ofShape: { readonly [shape in ShapeName]: fc.Arbitrary<Policy> } = {
  'token-bucket': anyNumbers.map(({ name, size, rate, periodMs }) =>
    tokenBucket({ name, capacity: size, rate, periodMs }),
  ),
  'leaky-bucket': anyNumbers.map(({ name, size, rate, periodMs, part }) =>
    leakyBucket({ name, queue: size - 1, after: Math.floor(part * (size - 1)), rate, periodMs }),
  ),
  'sliding-window': anyNumbers.map(({ name, size, periodMs }) =>
    slidingWindow({ name, limit: size, windowMs: periodMs }),
  ),
  'fixed-window': anyNumbers.map(({ name, size, periodMs }) =>
    fixedWindow({ name, limit: size, windowMs: periodMs }),
  ),
}

const anyPolicy: fc.Arbitrary<Policy> = fc.oneof(...Object.values(ofShape))

/** One to four policies of any shapes, with names of their own. */
export const anyPolicies: fc.Arbitrary<readonly Policy[]> = fc.uniqueArray(anyPolicy, {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 4,
})

/** A policy of any shape whose promises can be walked through millisecond by millisecond. */
export const smallPolicy: fc.Arbitrary<Policy> = fc
  .record({
    make: fc.constantFrom<(size: number, rate: number, periodMs: number) => Policy>(
      (capacity, rate, periodMs) => tokenBucket({ capacity, rate, periodMs }),
      (size, rate, periodMs) => leakyBucket({ queue: size - 1, rate, periodMs }),
      (limit, _rate, windowMs) => slidingWindow({ limit, windowMs }),
      (limit, _rate, windowMs) => fixedWindow({ limit, windowMs }),
    ),
    size: fc.integer({ min: 1, max: 5 }),
    rate: fc.integer({ min: 1, max: 50 }),
    periodMs: fc.integer({ min: 1, max: 500 }),
  })
  .map(({ make, size, rate, periodMs }) => make(size, rate, periodMs))

/** How far a clock moves, and what is asked then. */
export interface Move {
  readonly byMs: number
  readonly cost: number
  readonly key: string
}

const anyCost = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
)
const forward = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 3000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 100_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 ** 50 }) },
)

function moves(byMs: fc.Arbitrary<number>): fc.Arbitrary<readonly Move[]> {
  return fc.array(fc.record({ byMs, cost: anyCost, key: fc.constantFrom('x', 'y') }), { maxLength: 40 })
}

/** Takes under a clock that never runs back. */
export const forwardMoves: fc.Arbitrary<readonly Move[]> = moves(forward)

/** Takes under a clock that jumps both ways. */
export const jumpingMoves: fc.Arbitrary<readonly Move[]> = moves(
  fc.oneof(
    forward,
    forward.map((ms) => -ms),
  ),
)
