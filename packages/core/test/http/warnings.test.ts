import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGuard, type Facts } from '@tickbucket/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

interface Asked {
  readonly address?: string
  readonly direct?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly trustsEverybody?: boolean
}

const facts: Facts<Asked> = {
  method: () => 'GET',
  header: ({ headers }, name) => headers?.[name],
  address: ({ address }) => address,
  socketAddress: ({ direct }) => direct,
  trustsEverybody: ({ trustsEverybody }) => trustsEverybody === true,
}

const nothing = { getHeader: () => undefined }
const codes: unknown[] = []
const onWarning = (warning: Error & { code?: string }): number => codes.push(warning.code)

beforeEach(() => {
  // What is said once per process is remembered by the module.
  vi.resetModules()
  codes.length = 0
  process.on('warning', onWarning)
})
afterEach(() => process.off('warning', onWarning))

/** The codes of the warnings that a guard gives for these requests. */
async function warned(asked: readonly Asked[], wait = true): Promise<unknown[]> {
  const fresh = (await import('@tickbucket/core')) as { createGuard: typeof createGuard }
  let guard = fresh.createGuard({}, facts)
  for (const ctx of asked) {
    if (wait) await setImmediate()
    else guard = fresh.createGuard({}, facts)
    await guard.check(ctx, nothing)
  }
  await setImmediate()
  return [...codes]
}

const here = { address: '192.0.2.1', direct: '192.0.2.1' }

test('ordinary requests warn of nothing', async () => {
  expect(
    await warned([
      { ...here },
      { ...here },
      { address: '198.51.100.1', direct: '192.0.2.1', headers: { 'x-forwarded-for': '198.51.100.1' } },
    ]),
  ).toEqual([])
})

test('G10 G22 a forwarded request that nobody trusts is told once', async () => {
  const forwarded = { ...here, headers: { 'x-forwarded-for': '198.51.100.1' } }
  expect(await warned([{ ...forwarded }, { ...forwarded }])).toEqual(['TICKBUCKET_PROXY_NOT_TRUSTED'])
  vi.resetModules()
  codes.length = 0
  expect(await warned([{ ...here, headers: { forwarded: 'for=198.51.100.1' } }])).toEqual([
    'TICKBUCKET_PROXY_NOT_TRUSTED',
  ])
})

test('G11 a framework that believes everybody is told once', async () => {
  const believed = {
    address: '203.0.113.9',
    direct: '192.0.2.1',
    headers: { 'x-forwarded-for': '203.0.113.9' },
    trustsEverybody: true,
  }
  expect(await warned([{ ...believed }, { ...believed }])).toEqual(['TICKBUCKET_EVERYBODY_TRUSTED'])
})

test('wire 40 a request without an address is told once', async () => {
  expect(await warned([{}, {}])).toEqual(['TICKBUCKET_NO_ADDRESS'])
})

test('H14 limiters that are made while requests are handled are told once', async () => {
  const many = Array.from({ length: 12 }, () => ({ ...here }))
  expect(await warned(many, false)).toEqual(['TICKBUCKET_MADE_PER_REQUEST'])
  vi.resetModules()
  codes.length = 0
  expect(await warned([{ ...here }], false)).toEqual([])
})

test('H14 limiters that are made with their tenants’ first requests and kept are no mistake', async () => {
  const fresh = (await import('@tickbucket/core')) as { createGuard: typeof createGuard }
  for (let tenant = 0; tenant < 100; tenant += 1) {
    const guard = fresh.createGuard({}, facts)
    for (let count = 0; count < 2; count += 1) await guard.check({ ...here }, nothing)
  }
  await setImmediate()
  expect(codes).toEqual([])
})

test('a request that was answered is not held by its limiter for good', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const fresh = (await import('@tickbucket/core')) as { createGuard: typeof createGuard }
  const guard = fresh.createGuard({}, facts)
  for (let count = 0; count < 100; count += 1) void guard.check({ ...here }, nothing)
  const ctx = new WeakRef({ ...here })
  void guard.check(ctx.deref()!, nothing)
  await setImmediate()
  gc()
  expect(ctx.deref()).toBeUndefined()
})

test('H19 one limiter that sees one request twice is told once; two limiters are no mistake', async () => {
  const ctx = { ...here }
  expect(await warned([ctx, ctx, ctx])).toEqual(['TICKBUCKET_COUNTED_TWICE'])
})

test('wire 40 those without an address share one bucket, and nobody else is in it', async () => {
  const guard = createGuard({ capacity: 1, perHour: 1 }, facts)
  const allowed = async (ctx: Asked): Promise<boolean | undefined> =>
    (await guard.check(ctx, nothing)).decision?.allowed
  expect([
    await allowed({}),
    await allowed({ address: '', direct: '' }),
    await allowed({ address: 'unknown' }),
    await allowed(here),
  ]).toEqual([true, false, false, true])
})

test('where there is no process, nothing is said and nothing fails', async () => {
  const { process } = globalThis
  vi.stubGlobal('process', undefined)
  const fresh = (await import('@tickbucket/core')) as { createGuard: typeof createGuard }
  const verdict = fresh.createGuard({}, facts).check({}, nothing)
  vi.stubGlobal('process', process)
  expect(await verdict).toMatchObject({ decision: { allowed: true } })
})

test('the guard answers at once if the store and the callbacks do', () => {
  const guard = createGuard({ key: () => 'a', cost: () => 2, policies: undefined }, facts)
  expect(guard.check(here, nothing)).not.toBeInstanceOf(Promise)
  expect(guard.check(here, nothing)).toMatchObject({ decision: { allowed: true, remaining: 6 } })
})
