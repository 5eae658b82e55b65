import { deepStrictEqual } from 'node:assert'
import { type Policy, tokenBucket } from '@tickbucket/core'
import { shapeCases } from './shape-cases.ts'
import { type StoreCase, storeCase } from './store-case.ts'
import { vectorCases } from './vector-cases.ts'

const three = [tokenBucket({ capacity: 3, perMinute: 60 })]
const ten = [tokenBucket({ name: 'ten', capacity: 10, perHour: 10 })]
const burst = tokenBucket({ name: 'burst', capacity: 2, perSecond: 1 })
/** A policy of two tokens by that name, alone. */
function named(name: string): readonly Policy[] {
  return [tokenBucket({ name, capacity: 2, perHour: 2 })]
}

const daily = tokenBucket({ name: 'daily', capacity: 3, perDay: 3 })

/** Keys that some store somewhere has mistaken for others, or choked on. */
const AWKWARD_KEYS = [
  '',
  ' ',
  '0',
  'a',
  'A',
  'a:',
  ':a',
  'a:b',
  '{a}',
  '}{',
  '{',
  'a\0',
  '\0',
  'default',
  'a|b',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  'ü',
  'u\u0308',
  '\u{1f4a5}',
  '\ud800',
  '\udc00',
  '\ufffd',
  '\r\n',
  '*',
  '%00',
  'x'.repeat(129),
  'x'.repeat(130),
  `${'y'.repeat(100_000)}1`,
  `${'y'.repeat(100_000)}2`,
]

const promises: readonly StoreCase[] = [
  storeCase('a client that is not known has a full bucket', async ({ left }) => {
    deepStrictEqual(await left(three, 'nobody'), [3])
  }),
  storeCase(
    'refused at every millisecond before retryAfterMs, allowed exactly at it',
    async ({ clock, allowed, refused }) => {
      const policies = [tokenBucket({ name: 'odd', capacity: 2, rate: 7, periodMs: 130 })]
      await allowed(policies, { cost: 2 })
      for (let wait = 38; wait > 0; wait -= 1) {
        await refused(policies, wait, { cost: 2 })
        clock.advance(1)
      }
      await allowed(policies, { cost: 2 })
    },
  ),
  storeCase('a refusal costs nothing, however often it is heard', async ({ take, left, refused }) => {
    await take(ten, { cost: 8 })
    for (let time = 0; time < 20; time += 1) await refused(ten, 1_080_000, { cost: 5 })
    deepStrictEqual(await left(ten), [2])
  }),
  storeCase('a read costs nothing and makes nobody known', async ({ clock, store, left, allowed }) => {
    deepStrictEqual(await left(three), [3])
    clock.advance(-1000)
    await allowed(three, { cost: 3, left: 0 })
    for (let time = 0; time < 20; time += 1) deepStrictEqual(await left(three), [0])
    deepStrictEqual(await left(three, 'nobody'), [3])
    if ('stats' in store) deepStrictEqual((store as { stats(): { clients: number } }).stats().clients, 1)
  }),
  storeCase('of a hundred at once exactly the capacity pass', async ({ take }) => {
    const decisions = await Promise.all(Array.from({ length: 100 }, async () => take(ten)))
    deepStrictEqual(decisions.filter(({ allowed }) => allowed).length, 10)
    const left = decisions.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)
    deepStrictEqual(
      left.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  }),
  storeCase(
    'of a hundred at once under two policies none is charged for a refusal',
    async ({ take, left }) => {
      const decisions = await Promise.all(Array.from({ length: 100 }, async () => take([burst, daily])))
      deepStrictEqual(decisions.filter(({ allowed }) => allowed).length, 2)
      deepStrictEqual(await left([burst, daily]), [0, 1])
    },
  ),
  storeCase('a wait is that of the cost asked, not of one token', async ({ take, refused }) => {
    await take(three, { cost: 3 })
    await refused(three, 1000)
    await refused(three, 3000, { cost: 3 })
  }),
  storeCase(
    'more than the bucket holds is refused for ever, and costs nothing',
    async ({ clock, left, refused }) => {
      await refused(three, Infinity, { cost: 4 })
      clock.advance(86_400_000)
      await refused(three, Infinity, { cost: 4 })
      deepStrictEqual(await left(three), [3])
    },
  ),
  storeCase(
    'a full bucket may be forgotten, and nobody can tell',
    async ({ clock, take, allowed, refused }) => {
      await take(three, { cost: 3 })
      clock.advance(2999)
      await refused(three, 1, { cost: 3 })
      clock.advance(1)
      await allowed(three, { cost: 3, left: 0 })
      clock.advance(1_000_000_000)
      await allowed(three, { left: 2 })
    },
  ),
  storeCase('two keys are strangers', async ({ take, allowed, refused }) => {
    await take(ten, { key: 'a', cost: 10 })
    await allowed(ten, { key: 'b', cost: 10 })
    await refused(ten, 360_000, { key: 'a' })
  }),
  storeCase('two policies of one key are strangers, too', async ({ take, left }) => {
    await take(three, { cost: 3 })
    deepStrictEqual(await left(ten), [10])
  }),
  ...[
    [burst, daily],
    [daily, burst],
  ].map((policies) =>
    storeCase(
      `all policies are charged or none: ${policies.map(({ name }) => name).join(' before ')}`,
      async ({ clock, take, left, refused, allowed }) => {
        const leftOf = async (): Promise<object> =>
          Object.fromEntries((await left(policies)).map((tokens, index) => [policies[index]!.name, tokens]))
        await take(policies, { cost: 2 })
        await refused(policies, 1000)
        deepStrictEqual(await leftOf(), { burst: 0, daily: 1 })
        clock.advance(2000)
        await refused(policies, 28_798_000, { cost: 2 })
        deepStrictEqual(await leftOf(), { burst: 2, daily: 1 })
        await allowed(policies, { left: 0 })
        deepStrictEqual(await leftOf(), { burst: 1, daily: 0 })
      },
    ),
  ),
  storeCase('a policy alone and the same one among others share their bucket', async ({ take, left }) => {
    await take([burst, daily])
    deepStrictEqual(await left([daily]), [2])
    await take([daily], { cost: 2 })
    deepStrictEqual(await left([burst, daily]), [1, 0])
  }),
  storeCase('readings stand in the order of the policies', async ({ take }) => {
    const { readings } = await take([daily, ...three, burst])
    deepStrictEqual(
      readings.map(({ policy }) => policy.name),
      ['daily', 'default', 'burst'],
    )
  }),
  storeCase(
    'a clock that steps back earns nothing and loses nothing',
    async ({ clock, take, refused, allowed }) => {
      await take(three, { cost: 3 })
      const start = clock()
      for (const step of [-1, -500_000, -1_000_000, 0]) {
        clock.set(start + step)
        await refused(three, 1000)
      }
      clock.set(start + 1000)
      await allowed(three, { left: 0 })
    },
  ),
  storeCase('every key is a key of its own', async ({ take, left }) => {
    for (const [index, key] of AWKWARD_KEYS.entries()) await take(ten, { key, cost: index % 9 })
    for (const [index, key] of AWKWARD_KEYS.entries())
      deepStrictEqual([key.slice(0, 20), await left(ten, key)], [key.slice(0, 20), [10 - (index % 9)]])
  }),
  storeCase('no key and name join to what another key and name join to', async ({ allowed }) => {
    for (const separator of ['', '.', '-', '_']) {
      await allowed(named('a'), { key: `b${separator}a`, cost: 2 })
      await allowed(named('a'), { key: `a${separator}b`, cost: 2 })
      await allowed(named(`a${separator}a`), { key: 'b', cost: 2 })
    }
  }),
  storeCase(
    'a reset makes one client new, under the policies that are named',
    async ({ store, take, left }) => {
      await take([burst, daily], { key: 'a', cost: 2 })
      await take([burst, daily], { key: 'b', cost: 2 })
      await store.reset('a', [burst])
      deepStrictEqual(
        [await left([burst, daily], 'a'), await left([burst, daily], 'b')],
        [
          [2, 1],
          [0, 1],
        ],
      )
      await store.reset('nobody', [burst, daily])
    },
  ),
  storeCase('a decision is its caller’s own: it does not change later', async ({ clock, take }) => {
    const first = await take([burst, daily])
    const before = JSON.stringify(first)
    clock.advance(500)
    await take([burst, daily])
    await take([burst, daily], { cost: 2 })
    deepStrictEqual(JSON.stringify(first), before)
  }),
  storeCase('hammering neither keeps a client out nor lets it in', async ({ clock, take }) => {
    const policies = [tokenBucket({ name: 'slow', capacity: 1, rate: 1, periodMs: 1000 })]
    const start = clock()
    const passed: number[] = []
    for (let at = 0; at <= 3000; at += 50) {
      clock.set(start + at)
      if ((await take(policies)).allowed) passed.push(at)
    }
    deepStrictEqual(passed, [0, 1000, 2000, 3000])
  }),
]

/**
 * What every store owes, the golden vectors among it.
 *
 * @example
 * const harness = { create: (clock) => myStore({ clock }) }
 * for (const { name, run } of storeCases) test(name, () => run(harness))
 */
export const storeCases: readonly StoreCase[] = [...promises, ...shapeCases, ...vectorCases]
