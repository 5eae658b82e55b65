import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BadLine, createShell } from '../src/shell.ts'

/** What a fresh shell says to each line; a bad line's words stand in brackets. */
function answers(...lines: string[]): string[] {
  const shell = createShell()
  return lines.map((line) => {
    try {
      return shell.run(line)
    } catch (error) {
      if (error instanceof BadLine) return `[${error.message}]`
      throw error
    }
  })
}

test('the golden vector: capacity 3, 60 per minute', () => {
  expect(
    answers(
      'LIMIT 3 60',
      'REQUEST a',
      'REQUEST a',
      'REQUEST a',
      'NOW 400',
      'REQUEST a',
      'STATUS a',
      'NOW 1000',
      'REQUEST a',
      'STATUS a',
    ),
  ).toEqual([
    '',
    '200 X-RateLimit-Remaining: 2',
    '200 X-RateLimit-Remaining: 1',
    '200 X-RateLimit-Remaining: 0',
    '',
    '429 Retry-After: 1',
    '0.400',
    '',
    '200 X-RateLimit-Remaining: 0',
    '0.000',
  ])
})

test('before any LIMIT it is 10 tokens, 60 per minute', () => {
  expect(answers('STATUS a', 'REQUEST a', 'STATUS a')).toEqual([
    '10.000',
    '200 X-RateLimit-Remaining: 9',
    '9.000',
  ])
})

test('LIMIT forgets every bucket, NOW none', () => {
  expect(answers('LIMIT 1 1', 'REQUEST a', 'LIMIT 1 1', 'REQUEST a', 'NOW 1', 'REQUEST a')).toEqual([
    '',
    '200 X-RateLimit-Remaining: 0',
    '',
    '200 X-RateLimit-Remaining: 0',
    '',
    '429 Retry-After: 60',
  ])
})

test('STATUS makes a client known: it is full as of that time, and no later refill comes of an earlier one', () => {
  expect(
    answers(
      'LIMIT 2 60',
      'NOW 5000',
      'STATUS a',
      'NOW 0',
      'REQUEST a',
      'REQUEST a',
      'NOW 5999',
      'REQUEST a',
      'NOW 6000',
      'REQUEST a',
    ),
  ).toEqual([
    '',
    '',
    '2.000',
    '',
    '200 X-RateLimit-Remaining: 1',
    '200 X-RateLimit-Remaining: 0',
    '',
    '429 Retry-After: 1',
    '',
    '200 X-RateLimit-Remaining: 0',
  ])
})

test('each client has its own time: one that is seen late does not hold back another', () => {
  expect(
    answers('LIMIT 1 60', 'REQUEST a', 'NOW 9000', 'REQUEST b', 'NOW 1000', 'REQUEST a', 'REQUEST b'),
  ).toEqual([
    '',
    '200 X-RateLimit-Remaining: 0',
    '',
    '200 X-RateLimit-Remaining: 0',
    '',
    '200 X-RateLimit-Remaining: 0',
    '429 Retry-After: 1',
  ])
})

test('thousandths are cut, not rounded, up to the largest bucket', () => {
  expect(
    answers('LIMIT 1 1', 'REQUEST a', 'NOW 119', 'STATUS a', 'NOW 120', 'STATUS a', 'NOW 59999', 'STATUS a'),
  ).toEqual(['', '200 X-RateLimit-Remaining: 0', '', '0.001', '', '0.002', '', '0.999'])
  expect(answers('LIMIT 150119987579 1', 'REQUEST a', 'NOW 59', 'STATUS a', 'NOW 60', 'STATUS a')).toEqual([
    '',
    '200 X-RateLimit-Remaining: 150119987578',
    '',
    '150119987578.000',
    '',
    '150119987578.001',
  ])
})

test('a long wait is capped at what clients can wait for', () => {
  expect(answers('LIMIT 1 1', 'NOW 9007199254740991', 'REQUEST a', 'NOW 0', 'REQUEST a')).toEqual([
    '',
    '',
    '200 X-RateLimit-Remaining: 0',
    '',
    '429 Retry-After: 60',
  ])
})

test.each(['', ' ', '\t \t', '\r', ' \r'])('a blank line %o says nothing', (line) => {
  expect(answers(line)).toEqual([''])
})

test.each(['  REQUEST \t a ', 'REQUEST a\r', 'REQUEST\ta'])('%o is REQUEST a', (line) => {
  expect(answers(line)).toEqual(['200 X-RateLimit-Remaining: 9'])
})

test.each([
  ['request a', '"request" is no command; there are LIMIT, NOW, REQUEST, STATUS'],
  ['constructor a', '"constructor" is no command; there are LIMIT, NOW, REQUEST, STATUS'],
  ['REQUEST', 'REQUEST takes the name of a client, as in: REQUEST alice'],
  ['REQUEST a b', 'REQUEST takes the name of a client, as in: REQUEST alice'],
  ['STATUS', 'STATUS takes the name of a client, as in: STATUS alice'],
  ['NOW', 'NOW takes a time in milliseconds, as in: NOW 1000'],
  ['LIMIT 3', 'LIMIT takes a capacity and a rate per minute, as in: LIMIT 10 60'],
  ['LIMIT 3 60 9', 'LIMIT takes a capacity and a rate per minute, as in: LIMIT 10 60'],
  ['LIMIT 0 60', 'the capacity must be a whole number from 1 to 150119987579, not "0"'],
  ['LIMIT 150119987580 60', 'the capacity must be a whole number from 1 to 150119987579, not "150119987580"'],
  ['LIMIT 3 0', 'the rate per minute must be a whole number from 1 to 9007199254740991, not "0"'],
  ['NOW -1', 'the time must be a whole number from 0 to 9007199254740991, not "-1"'],
  ['NOW 1.5', 'the time must be a whole number from 0 to 9007199254740991, not "1.5"'],
  ['NOW 1e3', 'the time must be a whole number from 0 to 9007199254740991, not "1e3"'],
  [
    'NOW 9007199254740992',
    'the time must be a whole number from 0 to 9007199254740991, not "9007199254740992"',
  ],
  ['\u001b[2J', String.raw`"\u001b[2J" is no command; there are LIMIT, NOW, REQUEST, STATUS`],
  ['caf\u00c3\u00a9', '"café" is no command; there are LIMIT, NOW, REQUEST, STATUS'],
])('%o is a bad line, and says why', (line, why) => {
  expect(answers(line)).toEqual([`[${why}]`])
})

test('a bad line changes nothing', () => {
  expect(
    answers('LIMIT 2 60', 'REQUEST a', 'LIMIT 5 x', 'NOW x', 'REQUEST a b', 'STATUS', 'STATUS a'),
  ).toMatchObject({ 6: '1.000' })
})

/** The same shell in BigInt, written from the definition: a bucket is what it held at its latest time. */
function model(commands: readonly (readonly string[])[]): string[] {
  let [capacity, rate, now] = [10n, 60n, 0n]
  let buckets = new Map<string, { ticks: bigint; last: bigint }>()
  return commands.map(([name, first = '', second = '']) => {
    if (name === 'NOW') now = BigInt(first)
    if (name === 'LIMIT') {
      ;[capacity, rate] = [BigInt(first), BigInt(second)]
      buckets = new Map()
    }
    if (name === 'NOW' || name === 'LIMIT') return ''
    const full = capacity * 60_000n
    const bucket = buckets.get(first) ?? { ticks: full, last: now }
    buckets.set(first, bucket)
    const passed = now > bucket.last ? now - bucket.last : 0n
    bucket.ticks = bucket.ticks + passed * rate > full ? full : bucket.ticks + passed * rate
    bucket.last += passed
    if (name === 'STATUS')
      return `${bucket.ticks / 60_000n}.${String((bucket.ticks % 60_000n) / 60n).padStart(3, '0')}`
    if (bucket.ticks >= 60_000n) {
      bucket.ticks -= 60_000n
      return `200 X-RateLimit-Remaining: ${bucket.ticks / 60_000n}`
    }
    const seconds = (60_000n - bucket.ticks + rate * 1000n - 1n) / (rate * 1000n)
    return `429 Retry-After: ${seconds < 1n ? 1n : seconds}`
  })
}

test('it answers as a model in BigInt does, under clocks that jump both ways', () => {
  const client = fc.constantFrom('a', 'b', '__proto__')
  const command = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('REQUEST'), client) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('STATUS'), client) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constant('NOW'), fc.oneof(fc.nat(5000), fc.maxSafeNat()).map(String)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant('LIMIT'),
        fc.integer({ min: 1, max: 4 }).map(String),
        fc.integer({ min: 1, max: 1_000_000 }).map(String),
      ),
    },
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      expect(answers(...commands.map((words) => words.join(' ')))).toEqual(model(commands))
    }),
    { numRuns: 1000 },
  )
})
