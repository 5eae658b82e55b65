import { createGuard, createLimiter, type GuardOptions, memoryStore, tokenBucket } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { errorOf } from '../support/error-of.ts'
import { oneClient } from '../support/one-client.ts'

const nothing = { getHeader: () => undefined }

function mistake(options: unknown): object {
  const { code, option, value } = errorOf(() => createGuard(options as GuardOptions<object>, oneClient))
  return { code, option, value }
}

test.each([
  ['kye', 'key'],
  ['keyGenerator', 'key'],
  ['max', 'capacity'],
  ['limit', 'capacity'],
  ['windowMs', 'periodMs'],
  ['standardHeaders', 'rateLimitHeaders'],
  ['handler', 'onRefused'],
  ['skip', 'key'],
  ['passOnStoreError', 'onStoreError'],
  ['toString', undefined],
])('I04 an option %s is unknown, and near to %s', (name, near) => {
  const error = errorOf(() => createGuard({ [name]: 5 }, oneClient))
  expect(error).toMatchObject({ code: 'UNKNOWN_OPTION', option: name, value: 5 })
  if (near !== undefined) expect(error.message).toContain(`Did you mean '${near}'?`)
})

test.each([-1, 0, 31, 129, 56.5, '64', Number.NaN, null])(
  'I11 an ipv6Prefix of %o is an error',
  (ipv6Prefix) => {
    expect(mistake({ ipv6Prefix })).toEqual({
      code: 'INVALID_OPTION',
      option: 'ipv6Prefix',
      value: ipv6Prefix,
    })
  },
)

test.each([
  ['rateLimitHeaders', 'draft-8'],
  ['rateLimitHeaders', true],
  ['rateLimitHeaders', null],
  ['resetHeader', true],
  ['onStoreError', 'open'],
  ['dryRun', 'yes'],
  ['dryRun', null],
  ['key', 'ip'],
  ['cost', 'heavy'],
  ['cost', -1],
  ['onRefused', {}],
  ['onDecision', 'log'],
  ['store', {}],
  ['limiter', {}],
  ['limiter', null],
])('I01 %s of %o is an error', (option, value) => {
  expect(mistake({ [option]: value })).toMatchObject({ code: 'INVALID_OPTION', option })
})

test('a limiter that is none is an error, whatever it lacks', () => {
  const limiter = createLimiter()
  for (const wrong of [
    { ...limiter, policies: [] },
    { ...limiter, policies: ['x'] },
    { ...limiter, store: undefined },
    { ...limiter, take: undefined },
  ]) {
    expect(mistake({ limiter: wrong })).toMatchObject({ code: 'INVALID_OPTION' })
  }
  expect(mistake({ limiter, store: memoryStore() })).toMatchObject({
    code: 'CONFLICTING_OPTIONS',
    option: 'store',
  })
  expect(mistake({ limiter, capacity: 5 })).toMatchObject({ code: 'CONFLICTING_OPTIONS', option: 'capacity' })
})

test('a limiter is asked by its own take, so that one around it sees every request', () => {
  const inner = createLimiter({ capacity: 2, perHour: 1 })
  const seen: unknown[] = []
  const limiter = {
    ...inner,
    take: (key: string, cost?: number) => (seen.push([key, cost]), inner.take(key, cost)),
  }
  const key = 'k'.repeat(200)
  const guard = createGuard({ limiter, key: () => key }, oneClient)
  expect(guard.check({}, nothing)).toMatchObject({ decision: { remaining: 1 } })
  expect(seen).toEqual([[key, 1]])
  expect(inner.peek(key).remaining).toBe(1)
})

test('a cost that the bucket can never hold is an error at once', () => {
  expect(mistake({ capacity: 5, perMinute: 5, cost: 6 })).toEqual({
    code: 'INVALID_OPTION',
    option: 'cost',
    value: 6,
  })
})

test.each([
  ['a promise', Promise.resolve({})],
  ['a Map', new Map()],
  ['a Date', new Date(0)],
  ['a list', []],
  ['a number', 5],
])('I04 %s in place of options is an error', (_what, options) => {
  expect(mistake(options)).toMatchObject({ code: 'INVALID_OPTION', option: 'options' })
})

test('options of no prototype are options', () => {
  const options = Object.assign(Object.create(null) as object, { capacity: 5, perMinute: 5 })
  expect(createGuard(options, oneClient).check({}, nothing)).toMatchObject({ decision: { remaining: 4 } })
})

test('a mistake claims no name: the next try is as good as the first', () => {
  const store = memoryStore()
  const [a, b, other] = [
    tokenBucket({ name: 'a', capacity: 5, perMinute: 5 }),
    tokenBucket({ name: 'b', capacity: 5, perMinute: 5 }),
    tokenBucket({ name: 'b', capacity: 9, perMinute: 9 }),
  ]
  expect(mistake({ store, policies: [a], ipv6Prefix: 7 })).toMatchObject({ option: 'ipv6Prefix' })
  createGuard({ store, policies: [b] }, oneClient)
  expect(mistake({ store, policies: [a, other] })).toMatchObject({ code: 'POLICY_CONFLICT', value: 'b' })
  createGuard({ store, name: 'a', capacity: 10, perMinute: 10 }, oneClient)
})

test('a promise of another kind is waited for like any', async () => {
  const kept = Object.assign(Object.create(null) as object, {
    // oxlint-disable-next-line unicorn/no-thenable -- the promise of another library
    ['then']: (resolve: (key: string) => void) => resolve('client'),
  })
  const guard = createGuard({ key: () => kept as never, capacity: 5, perMinute: 5 }, oneClient)
  expect(await guard.check({}, nothing)).toMatchObject({ decision: { remaining: 4 } })
})

test('C07 the reset of an earlier limiter does not stand beside the limit of a later one', async () => {
  const sent = {
    getHeader: (name: string) => ({ 'X-RateLimit-Remaining': '9', 'X-RateLimit-Reset': '1' })[name],
  }
  const { fields } = await createGuard({ capacity: 1, perDay: 1 }, oneClient).check({}, sent)
  const reset = Number(new Map(fields).get('X-RateLimit-Reset'))
  expect(reset).toBeGreaterThan(Date.now() / 1000 + 86_000)
})
