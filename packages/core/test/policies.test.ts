import {
  createLimiter,
  fixedWindow,
  leakyBucket,
  memoryStore,
  type Policy,
  slidingWindow,
  TickbucketError,
} from '@tickbucket/core'
import { describe, expect, test } from 'vitest'
import { errorOf } from './support/error-of.ts'

type Options = Readonly<Record<string, unknown>>

/** Each maker, with the least that it takes and where each of its numbers belongs. */
const MAKERS = [
  {
    maker: 'leakyBucket',
    make: (options: Options) => leakyBucket(options as never),
    whole: { queue: 5, perMinute: 60 },
    numbers: {
      queue: { perMinute: 1 },
      after: { queue: 5, perMinute: 1 },
      perSecond: { queue: 1 },
      perMinute: { queue: 1 },
      perHour: { queue: 1 },
      perDay: { queue: 1 },
      rate: { queue: 1, periodMs: 1 },
      periodMs: { queue: 1, rate: 1 },
    },
    mayBeZero: ['queue', 'after'],
  },
  ...(['slidingWindow', 'fixedWindow'] as const).map((maker) => ({
    maker,
    make: (options: Options) => (maker === 'slidingWindow' ? slidingWindow : fixedWindow)(options),
    whole: { perMinute: 60 },
    numbers: {
      perSecond: {},
      perMinute: {},
      perHour: {},
      perDay: {},
      limit: { windowMs: 1 },
      windowMs: { limit: 1 },
    },
    mayBeZero: [] as string[],
  })),
]

const NOT_NUMBERS: readonly unknown[] = [
  Number.NaN,
  null,
  -1,
  0,
  1.5,
  '',
  'abc',
  '5',
  '1 minute',
  [],
  {},
  true,
  5n,
  Infinity,
  2 ** 53,
]

describe.each(MAKERS)('$maker', ({ make, whole, numbers, mayBeZero }) => {
  test.each(
    Object.entries(numbers).flatMap(([name, base]) => NOT_NUMBERS.map((value) => ({ name, base, value }))),
  )('I01 I05 $name of $value is an error that names it', ({ name, base, value }) => {
    if (value === 0 && mayBeZero.includes(name)) {
      expect(make({ ...base, [name]: value })).toMatchObject({ periodMs: 60_000 })
      return
    }
    const error = errorOf(() => make({ ...base, [name]: value }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option: name, value })
    expect(error.message).toContain(`'${name}'`)
  })

  test('I02 an option given as undefined is an option left out', () => {
    const nothing = Object.fromEntries([...Object.keys(numbers), 'name'].map((name) => [name, undefined]))
    expect(make({ ...nothing, ...whole })).toEqual(make(whole))
  })

  test.each(['perMinite', 'nam', 'capacty', 'windowMS', 'perMin'])(
    'I04 a misspelt option %s is an error',
    (wrong) => {
      expect(errorOf(() => make({ ...whole, [wrong]: 5 }))).toMatchObject({
        code: 'UNKNOWN_OPTION',
        option: wrong,
        value: 5,
      })
    },
  )

  test.each([undefined, null, 5, 'fast', [], () => ({})])(
    'I04 %o in place of options is an error',
    (options) => {
      expect(errorOf(() => make(options as never))).toBeInstanceOf(TickbucketError)
    },
  )

  test('I10 frozen options serve twice and stay as they are', () => {
    const options = Object.freeze({ ...whole, name: 'frozen' })
    expect(make(options)).toEqual(make(options))
    expect(options).toEqual({ ...whole, name: 'frozen' })
  })

  test('a policy is plain frozen data, and made again from its data it is the same', () => {
    const policy = make(whole)
    expect(Object.isFrozen(policy)).toBe(true)
    const copied = JSON.parse(JSON.stringify(policy)) as Policy
    const [again] = createLimiter({ policies: [copied] }).policies
    expect(again).toEqual(policy)
    expect(Object.isFrozen(again)).toBe(true)
  })

  test('a policy written by hand is checked like any other', () => {
    for (const wrong of [{ capacity: 0 }, { rate: 0.5 }, { periodMs: -1 }, { name: 'Ä' }, { extra: 1 }]) {
      const byHand = { ...make(whole), ...wrong } as Policy
      expect(errorOf(() => createLimiter({ policies: [byHand] })).code).toMatch(
        /INVALID_OPTION|UNKNOWN_OPTION/,
      )
    }
  })

  test('two amounts per time are an error', () => {
    const error = errorOf(() => make({ ...whole, perHour: 5 }))
    expect(error).toMatchObject({ code: 'CONFLICTING_OPTIONS', option: 'perMinute' })
    expect(error.message).toContain(`'perMinute' and 'perHour'`)
  })

  test('one store serves one set of numbers, of one shape, under one name', () => {
    const store = memoryStore()
    createLimiter({ policies: [make(whole)], store })
    createLimiter({ policies: [make(whole)], store })
    for (const other of [make({ ...whole, perMinute: 61 }), slidingWindow({ perHour: 7 })]) {
      expect(errorOf(() => createLimiter({ policies: [other], store })).code).toBe('POLICY_CONFLICT')
    }
  })
})

test.each([
  [{ perSecond: 3 }, 3, 1000],
  [{ perMinute: 3 }, 3, 60_000],
  [{ perHour: 3 }, 3, 3_600_000],
  [{ perDay: 3 }, 3, 86_400_000],
  [{ limit: 3, windowMs: 900_000 }, 3, 900_000],
])('a window of %o is a limit of %i in %i ms', (options, limit, periodMs) => {
  const numbers = { name: 'default', capacity: limit, rate: limit, periodMs }
  expect(slidingWindow(options)).toEqual({ shape: 'sliding-window', ...numbers })
  expect(fixedWindow(options)).toEqual({ shape: 'fixed-window', ...numbers })
})

test('a leaky bucket holds its queue and the one that goes on', () => {
  expect(leakyBucket({ queue: 20, after: 8, perSecond: 10 })).toEqual({
    shape: 'leaky-bucket',
    name: 'default',
    capacity: 21,
    rate: 10,
    periodMs: 1000,
    after: 8,
  })
})

test('half a policy is an error that says what is missing', () => {
  expect(errorOf(() => leakyBucket({ perSecond: 5 } as never))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'queue',
  })
  expect(errorOf(() => leakyBucket({ queue: 5 }))).toMatchObject({
    code: 'INCOMPLETE_POLICY',
    option: 'perMinute',
  })
  for (const make of [slidingWindow, fixedWindow]) {
    expect(errorOf(() => make({}))).toMatchObject({ code: 'INCOMPLETE_POLICY', option: 'perMinute' })
    expect(errorOf(() => make({ limit: 5 }))).toMatchObject({ code: 'INCOMPLETE_POLICY', option: 'windowMs' })
    expect(errorOf(() => make({ windowMs: 5 }))).toMatchObject({ code: 'INCOMPLETE_POLICY', option: 'limit' })
    expect(errorOf(() => make({ limit: 5, perMinute: 5 })).code).toBe('CONFLICTING_OPTIONS')
  }
})

test('more may not pass without delay than may queue', () => {
  expect(errorOf(() => leakyBucket({ queue: 5, after: 6, perSecond: 1 }))).toMatchObject({
    code: 'INVALID_OPTION',
    option: 'after',
    value: 6,
  })
})

test('I08 what would not be exact is refused when the policy is made, to the token', () => {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / 60_000)
  expect(leakyBucket({ queue: most - 1, perMinute: 1 }).capacity).toBe(most)
  expect(slidingWindow({ perMinute: most }).capacity).toBe(most)
  const queue = errorOf(() => leakyBucket({ queue: most, perMinute: 1 }))
  expect(queue).toMatchObject({ code: 'POLICY_TOO_LARGE', option: 'queue', value: most })
  expect(queue.message).toContain(`may be ${most - 1} at most`)
  const limit = errorOf(() => fixedWindow({ perMinute: most + 1 }))
  expect(limit).toMatchObject({ code: 'POLICY_TOO_LARGE', option: 'perMinute', value: most + 1 })
  expect(limit.message).toContain(`'perMinute' times the period must stay below 2^53`)
})

test.each([
  [leakyBucket, { burst: 5, perSecond: 1 }, 'queue'],
  [leakyBucket, { queue: 5, delay: 2, perSecond: 1 }, 'after'],
  [slidingWindow, { max: 5, windowMs: 1000 }, 'limit'],
  [slidingWindow, { points: 5, windowMs: 1000 }, 'limit'],
  [fixedWindow, { limit: 5, duration: 1000 }, 'windowMs'],
  [fixedWindow, { capacity: 5, perSecond: 1 }, 'limit'],
  [fixedWindow, { limit: 5, periodMs: 1000 }, 'windowMs'],
])('I04 words of elsewhere are answered with ours: %o', (make, options, ours) => {
  expect(errorOf(() => (make as (options: object) => Policy)(options)).message).toContain(
    `Did you mean '${ours}'?`,
  )
})
