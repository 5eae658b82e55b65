import { createGuard, type GuardOptions, leakyBucket, type Store, tokenBucket } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { errorOf } from '../support/error-of.ts'
import { oneClient } from '../support/one-client.ts'

function failing(): Store {
  return { take: () => Promise.reject(new Error('gone')), reset: () => undefined }
}

/** `[allowed, remaining]` of so many requests, one after another through each of the guards. */
async function asked(count: number, ...options: readonly GuardOptions<object>[]): Promise<unknown[]> {
  const guards = options.map((one) => createGuard(one, oneClient))
  const seen: unknown[] = []
  for (let at = 0; at < count; at += 1) {
    const { decision } = await guards[at % guards.length]!.check({})
    seen.push([decision!.allowed, decision!.remaining])
  }
  return seen
}

test('limiters that share a store share what stands in for it', async () => {
  const store = failing()
  const one = { capacity: 4, perHour: 1, store }
  expect(await asked(6, one, { ...one })).toEqual([
    [true, 3],
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
    [false, 0],
  ])
  expect(await asked(1, { ...one, store: failing() })).toEqual([[true, 3]])
})

test('a share holds what a request takes, as far as the policy does, and refills at its part of the rate', async () => {
  const one = { capacity: 10, perHour: 1, balancers: 4 }
  expect(await asked(3, { ...one, store: failing() })).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  expect(await asked(2, { ...one, store: failing(), cost: 5 })).toEqual([
    [true, 0],
    [false, 0],
  ])
  const guard = createGuard({ ...one, store: failing(), cost: () => 7 }, oneClient)
  expect((await guard.check({})).decision).toMatchObject({ allowed: true, remaining: 3 })
  // Four tokens more, of which one comes every four hours here, are not there at once.
  const refused = (await guard.check({})).decision!
  expect([refused.allowed, refused.retryAfterMs > 15.9 * 3_600_000]).toEqual([false, true])
  const large = createGuard({ ...one, store: failing(), cost: () => 11 }, oneClient)
  expect((await large.check({})).decision).toMatchObject({ allowed: false, retryAfterMs: Infinity })
})

test('a share that could not be exact is an error when the limiter is made, and when a callback gives it', async () => {
  const years = { rate: 1, periodMs: 2 ** 52 }
  const mistake = { code: 'POLICY_TOO_LARGE', option: 'balancers', value: 3 }
  const policy = tokenBucket({ capacity: 1, ...years })
  expect(errorOf(() => createGuard({ capacity: 1, ...years, balancers: 3 }, oneClient))).toMatchObject(
    mistake,
  )
  const guard = createGuard({ policies: () => [policy], balancers: 3 }, oneClient)
  expect(errorOf(() => void guard.check({}))).toMatchObject(mistake)
  expect(errorOf(() => void guard.check({})).message).toContain('it may be 1 at most, not 3')
  createGuard({ policies: [policy], balancers: 3, onStoreError: 'allow' }, oneClient)
  createGuard({ capacity: 10 ** 6, perDay: 1, balancers: 10_000, cost: () => 5 }, oneClient)
  createGuard({ policies: [leakyBucket({ queue: 9, perDay: 1 })], balancers: 10_000 }, oneClient)
})
