import { manualClock } from '@tickbucket/conformance'
import {
  fixedWindow,
  leakyBucket,
  memoryStore,
  type Policy,
  slidingWindow,
  tokenBucket,
} from '@tickbucket/core'
import { describe, expect, test } from 'vitest'
import { Fingerprint } from '../../src/stores/fingerprint.ts'

const MAX_CLIENTS = 100_000

/** One policy of each shape; ten tokens, and a thousand seconds for each. */
const SHAPES: readonly Policy[] = [
  tokenBucket({ name: 'token-bucket', capacity: 10, rate: 1, periodMs: 1_000_000 }),
  leakyBucket({ name: 'leaky-bucket', queue: 9, rate: 1, periodMs: 1_000_000 }),
  slidingWindow({ name: 'sliding-window', limit: 10, windowMs: 10_000_000 }),
  fixedWindow({ name: 'fixed-window', limit: 10, windowMs: 10_000_000 }),
]

/** New keys at once: for one shape as many as a flood has, for the others as many as fill the store over again. */
function floodOf({ shape }: Policy): number {
  return shape === 'token-bucket' ? 2_000_000 : 400_000
}

describe.each(SHAPES)('$name', (policy) => {
  const policies = Object.freeze([policy])

  /** A store of 100,000 with exhausted clients in it, the first come long before the others. */
  function exhausted(): {
    clock: ReturnType<typeof manualClock>
    store: ReturnType<typeof memoryStore>
    stay: () => void
  } {
    const clock = manualClock()
    const store = memoryStore({ clock, maxClients: MAX_CLIENTS })
    const victims = Array.from({ length: 20 }, (_, n) => `victim-${n}`)
    for (const victim of victims) {
      expect(store.take(victim, 10, policies).allowed).toBe(true)
      clock.advance(100)
    }
    const stay = (): void => {
      for (const victim of victims) expect(store.take(victim, 1, policies).allowed, victim).toBe(false)
    }
    return { clock, store, stay }
  }

  test('exhausted clients stay so through a flood of new keys at once', () => {
    const { store, stay } = exhausted()
    const flood = floodOf(policy)
    for (let n = 0; n < flood; n += 1) store.take(`198.51.${n >>> 8}.${n & 0xff}`, 1, policies)
    stay()
    const { clients, droppedEarly } = store.stats()
    expect(clients).toBe(MAX_CLIENTS)
    expect(droppedEarly).toBe(flood + 20 - MAX_CLIENTS)
  })

  test('exhausted clients stay so through a slow drip of new keys', () => {
    const { clock, store, stay } = exhausted()
    for (let n = 0; n < 400_000; n += 1) {
      store.take(`drip-${n}`, 1, policies)
      clock.advance(n % 2)
    }
    stay()
  })

  test('exhausted clients stay so when each new key takes half of what it may', () => {
    const { store, stay } = exhausted()
    for (let n = 0; n < 400_000; n += 1) store.take(`half-${n}`, 5, policies)
    stay()
  })

  test('who knows the source but not the secret cannot aim at a client', () => {
    const { store, stay } = exhausted()
    // The attacker's best guess at where a victim stands: keys that would be its neighbours under a secret of one's own.
    const own = new Fingerprint([1, 2, 3, 4])
    own.of('victim-0')
    const [high, low] = [own.high & 0x1f, own.low & 0xf000]
    let sent = 0
    for (let n = 0; sent < 20_000; n += 1) {
      const key = `aimed-${n}`
      own.of(key)
      if ((own.high & 0x1f) !== high || (own.low & 0xf000) !== low) continue
      store.take(key, 1, policies)
      sent += 1
    }
    for (let n = 0; n < 200_000; n += 1) store.take(`rest-${n}`, 1, policies)
    stay()
  })
})
