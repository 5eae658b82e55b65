import { deepStrictEqual, strictEqual } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryStore, type Store, tokenBucket } from '@tickbucket/core'
import { type AdapterCase, adapterCase, isAllowed, isRefused } from './adapter-case.ts'

const one = { capacity: 1, perMinute: 60 } as const

/** A store that answers with whatever `take` does. */
function storeThat(take: () => unknown): Store {
  return { take: take as Store['take'], reset: () => undefined }
}

/** What a store might say whose record was gone when it read the time that is left. */
function waiting(retryAfterMs: number): unknown {
  const reading = {
    policy: tokenBucket(one),
    remaining: 0,
    retryAfterMs,
    nextTokenAfterMs: 0,
    resetAfterMs: 0,
  }
  return { allowed: false, remaining: 0, retryAfterMs, delayMs: 0, readings: [reading], source: 'store' }
}

/** A store whose methods need their object. */
class OwnStore implements Store {
  readonly #buckets = memoryStore({ clock: () => 0 })

  take(...args: Parameters<Store['take']>): ReturnType<Store['take']> {
    return this.#buckets.take(...args)
  }

  reset(...args: Parameters<Store['reset']>): ReturnType<Store['reset']> {
    return this.#buckets.reset(...args)
  }
}

const FAILURES: readonly (readonly [how: string, take: () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('gone')
    },
  ],
  ['rejects', () => Promise.reject(new Error('gone'))],
  ['answers nothing', () => undefined],
  ['answers with a refusal of nothing', () => ({ allowed: false, remaining: 0, readings: [] })],
  ['answers with empty readings', () => ({ allowed: true, remaining: 1, retryAfterMs: 0, readings: [{}] })],
  ['answers with a wait below 0', () => waiting(-1_796_101_744)],
  ['answers with a wait that is no number', () => waiting(Number.NaN)],
  ['rejects with nothing', () => Promise.reject()],
  ['answers later with nonsense', () => Promise.resolve({ ok: 1 })],
]

/** What becomes of a request when its store fails, or takes its time. */
export const storeFailureCases: readonly AdapterCase[] = [
  ...FAILURES.flatMap(([how, take]) => [
    adapterCase(
      `E04 E05 wire 36 a store that ${how}, onStoreError 'allow': through, once, without a field of ours`,
      () => ({ ...one, store: storeThat(take), onStoreError: 'allow' }),
      async ({ ask, handled }) => {
        const { status, headers } = await ask()
        deepStrictEqual(
          [status, headers['x-ratelimit-limit'], headers['retry-after'], handled.length],
          [200, undefined, undefined, 1],
        )
      },
    ),
    adapterCase(
      `E05 wire 36 a store that ${how}, onStoreError 'refuse': 503`,
      () => ({ ...one, store: storeThat(take), onStoreError: 'refuse' }),
      async ({ ask, handled }) => {
        const { status, headers, body } = await ask()
        deepStrictEqual(
          [status, headers['retry-after'], headers['cache-control'], headers['content-type'], handled],
          [503, '1', 'no-store', 'application/problem+json', []],
        )
        strictEqual(
          body,
          '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity","status":503,"violated-policies":["default"]}',
        )
      },
    ),
    adapterCase(
      `C04 E05 a store that ${how}, and nothing said: a memory store stands in`,
      () => ({ ...one, store: storeThat(take) }),
      async ({ ask, handled }) => {
        isAllowed(await ask(), 0)
        isRefused(await ask(), 1)
        deepStrictEqual(
          handled.map(({ decision }) => decision?.source),
          ['local'],
        )
      },
    ),
  ]),
  adapterCase(
    'H23 the methods of a store keep their object',
    () => ({ ...one, store: new OwnStore() }),
    async ({ ask, handled }) => {
      isAllowed(await ask(), 0)
      isRefused(await ask(), 1)
      strictEqual(handled[0]?.decision?.source, 'store')
    },
  ),
  adapterCase(
    'E07 a refusal is never taken for a failure',
    () => {
      const memory = memoryStore()
      return {
        ...one,
        onStoreError: 'allow',
        store: storeThat(() => Promise.resolve(memory.take('a', 1, [tokenBucket(one)]))),
      }
    },
    async ({ status }) => {
      deepStrictEqual([await status(), await status()], [200, 429])
    },
  ),
  adapterCase(
    'H10 a store that answers later is waited for, and a refusal keeps the handler from running',
    ({ clock }) => {
      const memory = memoryStore({ clock })
      const take: Store['take'] = async (...args) => {
        await sleep(5)
        return memory.take(...args)
      }
      return { capacity: 2, perMinute: 1, store: { take, reset: () => undefined } }
    },
    async ({ ask, handled }) => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask()))
      deepStrictEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 200, 429, 429, 429, 429],
      )
      strictEqual(handled.length, 2)
    },
  ),
]
