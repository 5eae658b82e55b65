import { fixedWindow, leakyBucket, slidingWindow, TickbucketError, tokenBucket } from '@tickbucket/core'
import { Redis } from 'ioredis'
import fc from 'fast-check'
import { createClient } from 'redis'
import { expect, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { redisKey } from '../src/redis-key.ts'

const client = { evalsha: () => Promise.resolve(), eval: () => Promise.resolve() }

test.each([
  [{}, 'INVALID_OPTION', 'client'],
  [undefined, 'INVALID_OPTION', 'client'],
  [{ client: {} }, 'INVALID_OPTION', 'client'],
  [{ client, prefix: 'a{b}' }, 'INVALID_OPTION', 'prefix'],
  [{ client, prefix: 7 }, 'INVALID_OPTION', 'prefix'],
  [{ client, timeoutMs: 0 }, 'INVALID_OPTION', 'timeoutMs'],
  [{ client, timeoutMs: '100' }, 'INVALID_OPTION', 'timeoutMs'],
  [{ client, maxInFlight: Number.NaN }, 'INVALID_OPTION', 'maxInFlight'],
  [{ client, maxDenyMs: -1 }, 'INVALID_OPTION', 'maxDenyMs'],
  [{ client, clock: 5 }, 'INVALID_OPTION', 'clock'],
  [{ client, timeoutMS: 5 }, 'UNKNOWN_OPTION', 'timeoutMS'],
])('%o is an error', (options, code, option) => {
  let error: unknown
  try {
    redisStore(options as never)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(TickbucketError)
  expect(error).toMatchObject({ code, option })
})

test('a client whose commands may wait for ever is worth a warning, and nothing is sent', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): number => warnings.push(warning)
  process.on('warning', onWarning)
  const patient = new Redis({ lazyConnect: true, maxRetriesPerRequest: null })
  redisStore({ client: patient })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toMatchObject([{ code: 'TICKBUCKET_CLIENT_MAY_HANG' }])
  expect(patient.status).toBe('wait')
})

test('a node-redis client that keeps what it cannot send is worth the same warning, one that does not is none', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): number => warnings.push(warning)
  process.on('warning', onWarning)
  redisStore({ client: createClient() })
  redisStore({ client: createClient({ disableOfflineQueue: true }) })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toMatchObject([{ code: 'TICKBUCKET_CLIENT_MAY_HANG' }])
  expect(warnings[0]!.message).toContain('disableOfflineQueue')
})

test.each([null, undefined, 'OK', {}, [], [Number.NaN], [1, 2, 1], [1, 2, 1, 3, 4, 5], [1, 2, 1, 'x', 4], 7])(
  'an answer of %o is none, and so a failure of the store',
  async (answer) => {
    const store = redisStore({ client: { evalsha: async () => answer, eval: async () => answer } })
    await expect(store.take('a', 1, [tokenBucket({ capacity: 1, perSecond: 1 })])).rejects.toMatchObject({
      name: 'RedisStoreError',
      code: 'REDIS_FAILED',
    })
  },
)

test('policies of one name whose state means something else have keys of their own', () => {
  const policies = [
    tokenBucket({ capacity: 5, perMinute: 5 }),
    tokenBucket({ capacity: 5, perHour: 5 }),
    fixedWindow({ perMinute: 5 }),
    slidingWindow({ perMinute: 5 }),
  ]
  const keys = policies.map((policy) => redisKey('p:', 'a', policy))
  expect(keys).toEqual([
    'p:{a}:default:60000',
    'p:{a}:default:3600000',
    'p:{a}:default:60000:fixed-window',
    'p:{a}:default:60000:sliding-window',
  ])
  expect(redisKey('p:', 'a', leakyBucket({ queue: 4, perMinute: 5 }))).toBe(keys[0])
})

test('no two clients share a key, whatever their names, and the name is the hash tag', () => {
  const policy = tokenBucket({ capacity: 1, perSecond: 1 })
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('{', '}', '%', '%007b', '\ud800', ''), { maxLength: 4 })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(name, name, (one, other) => {
      const keys = [one, other].map((client) => redisKey('p:', client, policy))
      expect(keys[0] === keys[1]).toBe(one === other)
      expect(keys[0]!.isWellFormed()).toBe(true)
      expect(keys[0]).toMatch(/^p:\{[^{}]+\}:default:1000$/s)
    }),
    { numRuns: 5000 },
  )
})
