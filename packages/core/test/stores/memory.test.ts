import { spawnSync } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { manualClock } from '@tickbucket/conformance'
import { createLimiter, memoryStore, tokenBucket } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { errorOf } from '../support/error-of.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** What the heap and the arrays outside of it hold when all garbage is gone. */
function bytesHeld(): number {
  gc()
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('F01 a period of 30 days is a period of 30 days', () => {
  const DAY = 86_400_000
  const warnings: string[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', onWarning)
  const clock = manualClock()
  const limiter = createLimiter({ capacity: 5, rate: 5, periodMs: 30 * DAY, store: memoryStore({ clock }) })
  expect(limiter.take('client', 5).allowed).toBe(true)
  clock.set(DAY)
  expect(limiter.take('client')).toMatchObject({ allowed: false, retryAfterMs: 432_000_000 })
  clock.set(6 * DAY - 1)
  expect(limiter.take('client').allowed).toBe(false)
  clock.set(6 * DAY)
  expect(limiter.take('client').allowed).toBe(true)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('a sweep of more places than there are looks at all of them once, and one of nonsense is an error', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const policies = Object.freeze([tokenBucket({ capacity: 2, perSecond: 1 })])
  for (let client = 0; client < 100; client += 1) store.take(`client-${client}`, 1, policies)
  store.sweep(Number.MAX_SAFE_INTEGER)
  expect(store.stats().clients).toBe(100)
  clock.advance(1000)
  store.sweep(0)
  expect(store.stats().clients).toBe(100)
  store.sweep(Number.MAX_SAFE_INTEGER)
  expect(store.stats().clients).toBe(0)
  for (const slots of [Infinity, -1, 0.5, Number.NaN])
    expect(errorOf(() => store.sweep(slots))).toMatchObject({ code: 'INVALID_OPTION', option: 'slots' })
})

test('F02 keys that nobody uses any more are gone after one sweep, and so is their memory', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const limiter = createLimiter({ capacity: 5, rate: 5, periodMs: 10_000, store })
  for (let n = 0; n < 100_000; n += 1) limiter.take(`client-${n}`)
  expect(store.stats().clients).toBe(100_000)
  clock.advance(60_000)
  store.sweep()
  expect(store.stats()).toMatchObject({ clients: 0, droppedEarly: 0 })
  expect(store.stats().bytes).toBeLessThan(500_000)
})

test('F02 traffic by others is enough to forget those who are gone', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const limiter = createLimiter({ capacity: 5, rate: 5, periodMs: 10_000, store })
  for (let n = 0; n < 100_000; n += 1) limiter.take(`client-${n}`)
  clock.advance(60_000)
  for (let n = 0; n < 5000; n += 1) {
    limiter.take('steady')
    clock.advance(1)
  }
  expect(store.stats().clients).toBe(1)
})

test('F02 under ever new keys a store keeps little more than those that have not refilled', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  // One token is back after two seconds, in which 20,000 others come.
  const limiter = createLimiter({ capacity: 5, rate: 1, periodMs: 2000, store })
  let most = 0
  for (let n = 0; n < 400_000; n += 1) {
    limiter.take(`client-${n}`)
    if (n % 10 === 0) clock.advance(1)
    if (n % 1000 === 0) most = Math.max(most, store.stats().clients)
  }
  expect(most).toBeGreaterThanOrEqual(20_000)
  expect(most).toBeLessThan(26_000)
  expect(store.stats().droppedEarly).toBe(0)
})

test('F04 F10 a process that has used a store ends by itself: there is nothing to close, once or twice', () => {
  const script = `
    import { createLimiter, memoryStore } from '@tickbucket/core'
    createLimiter().take('client')
    createLimiter({ store: memoryStore({ maxClients: 10 }), capacity: 1, perDay: 1 }).take('client')
    console.log(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length)`
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--conditions=@tickbucket/source', '--input-type=module', '--eval', script],
    { cwd: import.meta.dirname, encoding: 'utf8', timeout: 20_000 },
  )
  expect({ status, stdout }).toEqual({ status: 0, stdout: '0\n' })
  expect(['close', 'shutdown', 'dispose'].filter((name) => name in memoryStore())).toEqual([])
})

test('F05 no timer is set, so none need be unreferenced', () => {
  const { setInterval, setTimeout } = globalThis
  let timers = 0
  const counting = (() => (timers += 1)) as unknown as typeof setTimeout
  Object.assign(globalThis, { setInterval: counting, setTimeout: counting })
  try {
    const limiter = createLimiter({ capacity: 1, perDay: 1, store: memoryStore({ maxClients: 5 }) })
    for (let n = 0; n < 100; n += 1) limiter.take(`client-${n}`)
  } finally {
    Object.assign(globalThis, { setInterval, setTimeout })
  }
  expect(timers).toBe(0)
})

test('F07 an empty key is a key like others when room is made', () => {
  const store = memoryStore({ maxClients: 2, clock: manualClock() })
  const limiter = createLimiter({ capacity: 5, perMinute: 5, store })
  for (const key of ['', 'one', 'two', 'three']) {
    limiter.take(key)
    expect(store.stats().clients).toBeLessThanOrEqual(2)
  }
  expect(store.stats()).toMatchObject({ clients: 2, droppedEarly: 2 })
})

test('F08 a million refusals leave what one leaves', () => {
  const store = memoryStore({ clock: manualClock() })
  const limiter = createLimiter({ capacity: 5, perMinute: 5, store })
  for (let n = 0; n < 20_000; n += 1) limiter.take('client')
  const { bytes } = store.stats()
  const before = bytesHeld()
  for (let n = 0; n < 1_000_000; n += 1) limiter.take('client')
  expect(bytesHeld() - before).toBeLessThan(1_000_000)
  expect(store.stats()).toEqual({ clients: 1, droppedEarly: 0, bytes })
})

test('F11 a key under two policies is gone when both are full', () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const policies = [
    tokenBucket({ name: 'short', capacity: 5, perSecond: 5 }),
    tokenBucket({ name: 'long', capacity: 100, perHour: 100 }),
  ]
  const limiter = createLimiter({ policies, store })
  for (let n = 0; n < 1000; n += 1) limiter.take(`client-${n}`)
  expect(store.stats().clients).toBe(2000)
  clock.advance(1000)
  store.sweep()
  expect(store.stats().clients).toBe(1000)
  clock.advance(35_000)
  store.sweep()
  expect(store.stats().clients).toBe(0)
})

test('a store for a few clients takes a few kilobytes', () => {
  const store = memoryStore()
  const limiter = createLimiter({ store })
  for (let n = 0; n < 20; n += 1) limiter.take(`client-${n}`)
  expect(store.stats().bytes).toBeLessThan(2000)
})

test('a client costs at most 64 bytes, also where many would fill a map', () => {
  const store = memoryStore({ clock: manualClock() })
  const policies = [tokenBucket({ capacity: 5, perMinute: 5 })]
  const before = bytesHeld()
  for (let n = 0; n < 300_000; n += 1) store.take(`client-${n}`, 1, policies)
  expect((bytesHeld() - before) / 300_000).toBeLessThan(64)
  expect(store.stats()).toMatchObject({ clients: 300_000, droppedEarly: 0 })
})

test('no key keeps a larger string alive', () => {
  const store = memoryStore({ clock: manualClock() })
  const policies = [tokenBucket({ capacity: 5, perMinute: 5 })]
  const before = bytesHeld()
  for (let n = 0; n < 200; n += 1) {
    const header = `${n} ${'x'.repeat(200_000)}`.replace('x', 'y')
    store.take(header.slice(0, 100), 1, policies)
  }
  expect(store.stats().clients).toBe(200)
  expect(bytesHeld() - before).toBeLessThan(2_000_000)
})

test('keys are data, whatever they are', () => {
  const keys = [
    '__proto__',
    'constructor',
    '',
    ' ',
    '\0',
    '\ud800',
    '\udfff',
    '\ufffd',
    'é',
    'e\u0301',
    '0',
    '00',
  ]
  keys.push('k'.repeat(100_000), 'k'.repeat(100_001), `${'k'.repeat(100_000)}\u{1F600}`, '\u0101', '\x01\x01')
  const store = memoryStore({ clock: manualClock() })
  const policies = [tokenBucket({ capacity: 100, perMinute: 1 })]
  for (const [index, key] of keys.entries()) store.take(key, index + 1, policies)
  for (const [index, key] of keys.entries()) {
    expect(store.take(key, 0, policies).remaining, JSON.stringify(key.slice(0, 20))).toBe(99 - index)
    store.reset(key, policies)
    expect(store.take(key, 0, policies).remaining).toBe(100)
  }
})

test('a full store lets go of the fullest of a few and says so', () => {
  const clock = manualClock()
  const store = memoryStore({ clock, maxClients: 8 })
  const policies = [tokenBucket({ capacity: 10, perMinute: 10 })]
  for (let n = 0; n < 8; n += 1) store.take(`client-${n}`, 10 - n, policies)
  for (let n = 0; n < 7; n += 1) {
    store.take(`new-${n}`, 10, policies)
    const spent = Array.from({ length: 8 }, (_, m) => 10 - store.take(`client-${m}`, 0, policies).remaining)
    // The one that had spent the least is full now; it is the last one that was left.
    expect(spent).toEqual(Array.from({ length: 8 }, (_, m) => (m < 7 - n ? 10 - m : 0)))
    expect(store.stats()).toMatchObject({ clients: 8, droppedEarly: n + 1 })
  }
})

test('when room is short, those that have refilled go first, and nothing is lost', () => {
  const clock = manualClock()
  const store = memoryStore({ clock, maxClients: 8 })
  const policies = [tokenBucket({ capacity: 10, perMinute: 10 })]
  store.take('spent', 10, policies)
  for (let n = 0; n < 100; n += 1) {
    store.take(`client-${n}`, 1, policies)
    clock.advance(1000)
  }
  expect(store.stats().droppedEarly).toBe(0)
})

test('policies may come in a list that is changed afterwards', () => {
  const store = memoryStore({ clock: manualClock() })
  const [one, two] = [
    tokenBucket({ name: 'one', capacity: 5, perDay: 1 }),
    tokenBucket({ name: 'two', capacity: 3, perDay: 1 }),
  ]
  const list = [one]
  expect(store.take('client', 1, list).readings.map((reading) => reading.remaining)).toEqual([4])
  list[0] = two
  expect(store.take('client', 1, list).readings.map((reading) => reading.remaining)).toEqual([2])
  list.push(one)
  expect(store.take('client', 1, list).readings.map((reading) => reading.remaining)).toEqual([1, 3])
})
