import {
  createLimiter,
  memoryStore,
  tokenBucket,
  type TokenBucketOptions,
  TickbucketError,
} from '@tickbucket/core'
import { expect, test } from 'vitest'
import { errorOf } from './support/error-of.ts'

const NOT_NUMBERS: readonly unknown[] = [
  Number.NaN,
  null,
  -1,
  0,
  1.5,
  '',
  'abc',
  '5',
  [],
  {},
  true,
  5n,
  Infinity,
  2 ** 53,
  () => 1,
]
const NUMBERS = ['capacity', 'perSecond', 'perMinute', 'perHour', 'perDay', 'rate', 'periodMs'] as const

/** A whole policy in which `name` is given, with `value`. */
function withOption(name: (typeof NUMBERS)[number], value: unknown): TokenBucketOptions {
  const base =
    name === 'rate' || name === 'periodMs'
      ? { capacity: 1, rate: 1, periodMs: 1 }
      : name === 'capacity'
        ? { perMinute: 1 }
        : { capacity: 1 }
  return { ...base, [name]: value } as unknown as TokenBucketOptions
}

test('a policy is plain frozen data', () => {
  const policy = tokenBucket({ name: 'burst', capacity: 10, perMinute: 60 })
  expect(policy).toEqual({ shape: 'token-bucket', name: 'burst', capacity: 10, rate: 60, periodMs: 60_000 })
  expect(Object.isFrozen(policy)).toBe(true)
})

test.each([
  ['perSecond', 1000],
  ['perMinute', 60_000],
  ['perHour', 3_600_000],
  ['perDay', 86_400_000],
] as const)('%s is a rate over %i ms', (name, periodMs) => {
  expect(tokenBucket({ capacity: 7, [name]: 3 })).toMatchObject({
    capacity: 7,
    rate: 3,
    periodMs,
    name: 'default',
  })
})

test.each(NUMBERS.flatMap((name) => NOT_NUMBERS.map((value) => [name, value] as const)))(
  'I01 %s of %o is an error that names it',
  (name, value) => {
    const error = errorOf(() => tokenBucket(withOption(name, value)))
    expect(error).toBeInstanceOf(TickbucketError)
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option: name, value })
    expect(error.message).toContain(`'${name}'`)
    expect(error.message).toContain('docs/errors/INVALID_OPTION.md')
  },
)

test.each(NUMBERS)('I01 %s left out where it is needed is an error', (name) => {
  expect(() => tokenBucket(withOption(name, undefined))).toThrow(
    expect.objectContaining({ code: 'INCOMPLETE_POLICY' }),
  )
})

test('I02 an option given as undefined is an option left out', () => {
  expect(tokenBucket({ name: undefined, capacity: 5, perMinute: 5, perHour: undefined })).toEqual(
    tokenBucket({ capacity: 5, perMinute: 5 }),
  )
  const silent = createLimiter({
    name: undefined,
    capacity: undefined,
    perMinute: undefined,
    policies: undefined,
    store: undefined,
  })
  expect(silent.policies).toEqual([tokenBucket({ capacity: 10, perMinute: 60 })])
  expect(memoryStore({ maxClients: undefined, clock: undefined }).stats().clients).toBe(0)
})

test.each([
  ['perMinite', 'perMinute'],
  ['periodMS', 'periodMs'],
  ['Capacity', 'capacity'],
  ['nam', 'name'],
])('I04 a misspelt option %s is an error that knows %s', (wrong, right) => {
  const error = errorOf(() => tokenBucket({ capacity: 5, perMinute: 5, [wrong]: 5 }))
  expect(error).toMatchObject({ code: 'UNKNOWN_OPTION', option: wrong, value: 5 })
  expect(error.message).toContain(`Did you mean '${right}'?`)
})

test('I04 a name that is near to none is answered with all of them', () => {
  const error = errorOf(() =>
    tokenBucket({ capacity: 5, perMinute: 5, xyzzyxyzzyx: 5 } as TokenBucketOptions),
  )
  expect(error.message).toContain('It takes name, capacity, perSecond')
})

test.each([undefined, null, 5, 'fast', [], () => ({})])(
  'I04 %o in place of options is an error',
  (options) => {
    expect(() => tokenBucket(options as never)).toThrow(TickbucketError)
  },
)

test.each(['1 mintue', '10', '', '5x', '1h30', '-1s', '1e3ms', '1 minute'])(
  'I05 a duration in words, %o, is an error and never no limit',
  (text) => {
    expect(() => tokenBucket({ capacity: 5, rate: 5, periodMs: text as never })).toThrow(
      expect.objectContaining({ option: 'periodMs', value: text }),
    )
  },
)

test('I07 half a policy is an error: there is no hidden burst', () => {
  expect(errorOf(() => createLimiter({ perMinute: 6 }))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'capacity',
  })
  expect(errorOf(() => createLimiter({ capacity: 6 }))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'perMinute',
  })
  expect(errorOf(() => createLimiter({ capacity: 6, rate: 6 }))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'periodMs',
  })
  expect(errorOf(() => createLimiter({ capacity: 6, periodMs: 6 }))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'rate',
  })
})

test('two rates are an error', () => {
  expect(errorOf(() => tokenBucket({ capacity: 6, perMinute: 6, perHour: 60 }))).toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
  expect(errorOf(() => tokenBucket({ capacity: 6, perMinute: 6, rate: 60, periodMs: 5 }))).toMatchObject({
    code: 'CONFLICTING_OPTIONS',
  })
})

test('I08 what would not be exact is refused when the policy is made, to the token', () => {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / 60_000)
  expect(tokenBucket({ capacity: most, perMinute: 1 }).capacity).toBe(most)
  const error = errorOf(() => tokenBucket({ capacity: most + 1, perMinute: 1 }))
  expect(error).toMatchObject({ code: 'POLICY_TOO_LARGE', option: 'capacity', value: most + 1 })
  expect(error.message).toContain(String(most))
})

test('I10 frozen options serve two limiters and stay as they are', () => {
  const options = Object.freeze({ name: 'a', capacity: 5, perMinute: 5 })
  const policies = Object.freeze([tokenBucket(options)])
  createLimiter(options)
  createLimiter(options)
  createLimiter({ policies })
  createLimiter({ policies })
  expect(options).toEqual({ name: 'a', capacity: 5, perMinute: 5 })
})

test.each(['', 'Burst', '1st', 'a b', 'café', 'a"b', '__proto__', 'x'.repeat(65), 7, null])(
  'a name of %o is an error',
  (name) => {
    expect(() => tokenBucket({ name: name as never, capacity: 1, perMinute: 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option: 'name', value: name }),
    )
  },
)

test.each(['a', 'default', 'a.b-c_9', 'x'.repeat(64)])('a name of %o is one', (name) => {
  expect(tokenBucket({ name, capacity: 1, perMinute: 1 }).name).toBe(name)
})
