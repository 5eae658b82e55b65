import { manualClock } from '@tickbucket/conformance'
import { createLimiter, type Decision, memoryStore, type Store, tokenBucket } from '@tickbucket/core'
import { expect, expectTypeOf, test } from 'vitest'
import { errorOf } from './support/error-of.ts'

const burst = tokenBucket({ name: 'burst', capacity: 2, perSecond: 1 })
const daily = tokenBucket({ name: 'daily', capacity: 3, perDay: 3 })

test('nothing said is 10 tokens, 60 per minute', () => {
  expect(createLimiter().policies).toEqual([
    { shape: 'token-bucket', name: 'default', capacity: 10, rate: 60, periodMs: 60_000 },
  ])
})

test('over a memory store an answer is there at once, over any other it is a promise', async () => {
  expectTypeOf(createLimiter().take).returns.toEqualTypeOf<Decision>()
  const memory = memoryStore()
  const store: Store = {
    take: (key, cost, policies) => Promise.resolve(memory.take(key, cost, policies)),
    reset: (key, policies) => Promise.resolve(memory.reset(key, policies)),
  }
  const limiter = createLimiter({ capacity: 1, perMinute: 1, store })
  expectTypeOf(limiter.take).returns.toEqualTypeOf<Decision | Promise<Decision>>()
  expect((await limiter.take('client')).allowed).toBe(true)
  expect((await limiter.take('client')).allowed).toBe(false)
  await limiter.reset('client')
  expect((await limiter.peek('client')).remaining).toBe(1)
})

test.each([[[burst, daily]], [[daily, burst]]])(
  'all policies are charged or none, whatever their order',
  (policies) => {
    const clock = manualClock()
    const limiter = createLimiter({ policies, store: memoryStore({ clock }) })
    const left = (): Record<string, number> =>
      Object.fromEntries(
        limiter.peek('client').readings.map(({ policy, remaining }) => [policy.name, remaining]),
      )
    limiter.take('client', 2)
    expect(limiter.take('client')).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 1000 })
    expect(left()).toEqual({ burst: 0, daily: 1 })
    clock.advance(2000)
    expect(limiter.take('client', 2)).toMatchObject({ allowed: false, retryAfterMs: 28_798_000 })
    expect(left()).toEqual({ burst: 2, daily: 1 })
    expect(limiter.take('client').readings.map(({ policy }) => policy)).toEqual(policies)
  },
)

test('reset makes one client new and leaves the others', () => {
  const limiter = createLimiter({ policies: [burst, daily], store: memoryStore({ clock: manualClock() }) })
  limiter.take('a', 2)
  limiter.take('b', 2)
  limiter.reset('a')
  expect(limiter.take('a', 2).allowed).toBe(true)
  expect(limiter.take('b').allowed).toBe(false)
})

test('two limiters with one store and one policy share their buckets', () => {
  const store = memoryStore({ clock: manualClock() })
  const first = createLimiter({ capacity: 2, perMinute: 60, store })
  const second = createLimiter({ capacity: 2, perSecond: 1, store: memoryStore() })
  const third = createLimiter({ capacity: 2, rate: 60, periodMs: 60_000, store })
  first.take('client', 2)
  expect(second.take('client').allowed).toBe(true)
  expect(third.take('client').allowed).toBe(false)
})

test('one name with other numbers in one store is an error, since its buckets would be one', () => {
  const store = memoryStore()
  createLimiter({ capacity: 2, perMinute: 60, store })
  const error = errorOf(() => createLimiter({ capacity: 5, perMinute: 60, store }))
  expect(error).toMatchObject({ code: 'POLICY_CONFLICT', option: 'name', value: 'default' })
  expect(error.message).toContain('2 tokens, 60 per 60000 ms')
  expect(createLimiter({ name: 'other', capacity: 5, perMinute: 60, store }).policies).toHaveLength(1)
})

test('two policies of one name in a list are an error', () => {
  expect(
    errorOf(() =>
      createLimiter({ policies: [burst, tokenBucket({ name: 'burst', capacity: 9, perDay: 9 })] }),
    ),
  ).toMatchObject({
    code: 'DUPLICATE_POLICY',
    value: 'burst',
  })
})

test.each([
  [[]],
  [null],
  [{}],
  [Object.assign([burst], { length: 2 })],
  ['burst'],
  [[{}]],
  [[null]],
  [[burst, 7]],
])('policies of %o are an error', (policies) => {
  expect(errorOf(() => createLimiter({ policies: policies as never }))).toMatchObject({
    code: 'INVALID_OPTION',
    option: 'policies',
  })
})

test('a policy written by hand is checked like any other', () => {
  const byHand = { shape: 'token-bucket', name: 'x', capacity: 1, rate: 1, periodMs: 1 } as const
  expect(createLimiter({ policies: [byHand] }).policies).toEqual([byHand])
  expect(errorOf(() => createLimiter({ policies: [{ ...byHand, rate: Number.NaN }] }))).toMatchObject({
    option: 'rate',
  })
})

test('a list of policies and a bucket of its own beside it are an error', () => {
  expect(errorOf(() => createLimiter({ policies: [burst], capacity: 1, perMinute: 1 }))).toMatchObject({
    code: 'CONFLICTING_OPTIONS',
    option: 'capacity',
  })
})

test.each([{}, null, 'redis', { take() {} }])('a store of %o is an error', (store) => {
  expect(errorOf(() => createLimiter({ store: store as never }))).toMatchObject({
    code: 'INVALID_OPTION',
    option: 'store',
  })
})

test.each([undefined, null, 7, {}, ['a'], Symbol('a')])(
  'a key of %o is an error and takes nothing',
  (key) => {
    const store = memoryStore()
    const limiter = createLimiter({ store })
    for (const call of [limiter.take, limiter.peek, limiter.reset]) {
      expect(errorOf(() => call(key as never))).toMatchObject({ code: 'INVALID_KEY', option: 'key' })
    }
    expect(store.stats().clients).toBe(0)
  },
)

test('D13 two takes in one tick with one token left: one is allowed', () => {
  const limiter = createLimiter({ capacity: 1, perMinute: 1 })
  expect([limiter.take('client').allowed, limiter.take('client').allowed]).toEqual([true, false])
})

test('E11 hammering does not keep a client out', () => {
  const clock = manualClock()
  const limiter = createLimiter({ capacity: 1, rate: 1, periodMs: 10_000, store: memoryStore({ clock }) })
  const allowed: number[] = []
  for (let at = 0; at <= 30_000; at += 1000) {
    clock.set(at)
    if (limiter.take('client').allowed) allowed.push(at)
  }
  expect(allowed).toEqual([0, 10_000, 20_000, 30_000])
})

test('a decision is the caller’s own: it does not change later', () => {
  const limiter = createLimiter({ capacity: 3, perMinute: 1 })
  const first = limiter.take('client')
  const copy = structuredClone(first)
  limiter.take('client', 2)
  limiter.take('client')
  expect(first).toEqual(copy)
})
