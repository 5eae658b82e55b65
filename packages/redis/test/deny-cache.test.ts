import {
  type BucketState,
  fixedWindow,
  freshState,
  leakyBucket,
  type Policy,
  take,
  tokenBucket,
} from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { denyCache } from '../src/deny-cache.ts'

const policies: readonly Policy[] = [
  tokenBucket({ name: 'fast', capacity: 5, perSecond: 40 }),
  tokenBucket({ name: 'slow', capacity: 3, rate: 7, periodMs: 1300 }),
  leakyBucket({ name: 'leaky', queue: 3, perSecond: 20 }),
  fixedWindow({ name: 'fixed', limit: 4, windowMs: 300 }),
]

/** What happens next: so much time passes, and then somebody takes, here or elsewhere. */
const step = fc.record({
  passMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 80, noNaN: true })),
  isHere: fc.boolean(),
  cost: fc.integer({ min: 1, max: 5 }),
  /** How long a question, and its answer, are under way. */
  thereMs: fc.double({ min: 0, max: 20, noNaN: true }),
  backMs: fc.double({ min: 0, max: 60, noNaN: true }),
})

/** A server whose clock drifts against ours and cuts off the parts of milliseconds, and one of its users. */
function simulate(
  lists: readonly Policy[],
  drift: number,
  phase: number,
  steps: readonly { passMs: number; isHere: boolean; cost: number; thereMs: number; backMs: number }[],
): { refused: number; wrong: string[] } {
  const cache = denyCache({ maxClients: 100, maxAgeMs: 1000 })
  const serverTime = (own: number): number => 1_000_000 + phase + own * (1 + drift)
  const serverAt = (own: number): number => Math.floor(serverTime(own))
  const states = lists.map((policy) => freshState(policy, serverAt(0)))
  const late: { at: number; learn: () => void }[] = []
  const wrong: string[] = []
  let own = 0
  let refused = 0
  for (const { passMs, isHere, cost, thereMs, backMs } of steps) {
    own += passMs
    for (const { at, learn } of late.toSorted((a, b) => a.at - b.at)) if (at <= own) learn()
    late.splice(0, late.length, ...late.filter(({ at }) => at > own))
    const now = { mono: own, wall: own }
    const refusal = isHere ? cache.refuse('client', cost, lists, now) : undefined
    if (refusal !== undefined) {
      refused += 1
      const copy = structuredClone(states)
      if (take(lists, copy, serverAt(own), cost).allowed) wrong.push(`refused ${cost} at ${own}`)
      // Whoever waits as long as it is told is let through, if nobody else takes.
      if (
        refusal.retryAfterMs !== Infinity &&
        !take(lists, structuredClone(states), serverAt(own + refusal.retryAfterMs * (1 + 1 / 256) + 1), cost)
          .allowed
      ) {
        const others = steps.some((other) => !other.isHere)
        if (!others) wrong.push(`told ${refusal.retryAfterMs} at ${own}`)
      }
      continue
    }
    const sent = own
    own += thereMs
    take(lists, states, serverAt(own), cost)
    const fractionMs = Math.floor((serverTime(own) % 1) * 1000) / 1000
    const told: BucketState[] = structuredClone(states)
    const at = own + backMs
    if (isHere)
      late.push({
        at,
        learn: () =>
          cache.learn('client', lists, told, {
            sent: { mono: sent, wall: sent },
            received: { mono: at, wall: at },
            fractionMs,
          }),
      })
  }
  return { refused, wrong }
}

test('it refuses nothing that the server would have allowed: drift, delayed and reordered answers', () => {
  let refused = 0
  fc.assert(
    fc.property(
      fc.subarray([...policies], { minLength: 1 }),
      fc.double({ min: -1 / 600, max: 1 / 600, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.array(step, { minLength: 1, maxLength: 60 }),
      (lists, drift, phase, steps) => {
        const seen = simulate(lists, drift, phase, steps)
        refused += seen.refused
        expect(seen.wrong).toEqual([])
      },
    ),
    { numRuns: 3000 },
  )
  expect(refused).toBeGreaterThan(1000)
})

test('it asks again at the very moment at which the server would allow, and not a millisecond sooner', () => {
  const list = [tokenBucket({ capacity: 100, rate: 7, periodMs: 1300 })]
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const drift = fc.double({ min: -1 / 600, max: 1 / 600, noNaN: true })
  fc.assert(
    fc.property(
      unit,
      drift,
      fc.integer({ min: 0, max: 1299 }),
      fc.integer({ min: 0, max: 100 }),
      unit,
      (phase, drift, ticks, executed, thereMs) => {
        const serverTime = (own: number): number => 1_000_000 + phase + own * (1 + drift)
        const last = Math.floor(serverTime(executed))
        const state: BucketState = { ticks, last, log: undefined }
        const cache = denyCache({ maxClients: 1, maxAgeMs: 1000 })
        const at = (mono: number): { mono: number; wall: number } => ({ mono, wall: mono })
        const fractionMs = Math.floor((serverTime(executed) % 1) * 1000) / 1000
        cache.learn('a', list, [state], {
          sent: at(executed - thereMs),
          received: at(executed),
          fractionMs,
        })
        const wait = Math.ceil((1300 - ticks) / 7)
        // When the server's clock shows the millisecond at which the token is there.
        const allowedAt = (last + wait - 1_000_000 - phase) / (1 + drift)
        expect(cache.refuse('a', 1, list, at(allowedAt + 1e-6))).toBeUndefined()
        // What the way there and the drift may hide: no more.
        const sooner = allowedAt - thereMs - (allowedAt - executed) / 256 - 0.01
        if (sooner >= executed) expect(cache.refuse('a', 1, list, at(sooner))?.allowed).toBe(false)
      },
    ),
    { numRuns: 5000 },
  )
})

test('while there is no token any cost is refused, and once there may be one it is asked for: somebody may have taken it', () => {
  const cache = denyCache({ maxClients: 10, maxAgeMs: 1000 })
  const list = [policies[1]!]
  const at = (mono: number): { mono: number; wall: number } => ({ mono, wall: mono })
  cache.learn('a', list, [{ ticks: 1299, last: 0, log: undefined }], {
    sent: at(0),
    received: at(1),
    fractionMs: 0,
  })
  expect(cache.refuse('a', 1, list, at(0))).toMatchObject({
    allowed: false,
    source: 'cache',
    retryAfterMs: 1,
  })
  expect(cache.refuse('a', 2, list, at(0))).toMatchObject({ allowed: false, retryAfterMs: 186 })
  expect(cache.refuse('a', 4, list, at(0))).toMatchObject({ allowed: false, retryAfterMs: Infinity })
  expect(cache.refuse('a', 0, list, at(0))).toBeUndefined()
  for (const cost of [1, 2, 4]) expect(cache.refuse('a', cost, list, at(1))).toBeUndefined()
  expect(cache.refuse('b', 1, list, at(1))).toBeUndefined()
})

test('what is old, what has other numbers, and what was reset is asked for', () => {
  const cache = denyCache({ maxClients: 2, maxAgeMs: 1000 })
  const list = [tokenBucket({ capacity: 1, perDay: 1 })]
  const at = (mono: number): { mono: number; wall: number } => ({ mono, wall: mono })
  const empty = (): BucketState[] => [{ ticks: 0, last: 0, log: undefined }]
  cache.learn('a', list, empty(), { sent: at(0), received: at(1), fractionMs: 0 })
  expect(cache.refuse('a', 1, list, at(900))?.allowed).toBe(false)
  expect(cache.refuse('a', 1, [tokenBucket({ capacity: 1, perDay: 1 })], at(900))?.allowed).toBe(false)
  expect(cache.refuse('a', 1, list, at(1001))).toBeUndefined()
  cache.learn('a', list, empty(), { sent: at(2000), received: at(2001), fractionMs: 0 })
  expect(cache.refuse('a', 1, [tokenBucket({ capacity: 2, perDay: 2 })], at(2002))).toBeUndefined()
  cache.learn('a', list, empty(), { sent: at(3000), received: at(3001), fractionMs: 0 })
  cache.forget('a', at(3002))
  cache.learn('a', list, empty(), { sent: at(3001), received: at(3003), fractionMs: 0 })
  expect(cache.refuse('a', 1, list, at(3004))).toBeUndefined()
  // While we are suspended, the clock that never runs back may stand still.
  cache.learn('a', list, empty(), { sent: at(4000), received: at(4001), fractionMs: 0 })
  expect(cache.refuse('a', 1, list, { mono: 4002, wall: 9000 })).toBeUndefined()
  for (const key of ['c', 'd', 'e'])
    cache.learn(key, list, empty(), { sent: at(5000), received: at(5001), fractionMs: 0 })
  expect(['c', 'd', 'e'].map((key) => cache.refuse(key, 1, list, at(5002))?.allowed)).toEqual([
    undefined,
    false,
    false,
  ])
})
