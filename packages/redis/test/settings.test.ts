import { TickbucketError } from '@tickbucket/core'
import { Redis } from 'ioredis'
import fc from 'fast-check'
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

test('no two clients share a key, whatever their names, and the name is the hash tag', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('{', '}', '%', '%007b', '\ud800', ''), { maxLength: 4 })
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(name, name, (one, other) => {
      const keys = [one, other].map((client) => redisKey('p:', client, 'default'))
      expect(keys[0] === keys[1]).toBe(one === other)
      expect(keys[0]!.isWellFormed()).toBe(true)
      expect(keys[0]).toMatch(/^p:\{[^{}]+\}:default$/s)
    }),
    { numRuns: 5000 },
  )
})
