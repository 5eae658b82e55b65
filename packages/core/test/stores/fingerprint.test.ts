import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fingerprint, randomSecret, type Secret } from '../../src/stores/fingerprint.ts'
import { halfSipHash, wordAt } from './half-sip-hash.ts'

/** HalfSipHash-2-4 with a 64-bit output, of 0, 1, 2, … bytes that count up from 0: the reference's vectors.h. */
const PUBLISHED = `
  218d1f59b9b83cc8 be552412f8387315 064f39ef7c50eb57 ce0f1a45f7060679 d5e78a175be52ea1 cb9d7c3f2f3db580
  ce3e91358aa2bc25 ff202728b07bc684 edfee820bce4858c 5b51cccc13888307 95b0469f06a6f2ee ae26333994ddcd48
  7bc71f9faef5c799 5a2352d75a0c3744 3bb1a870eae8e658 217d0bcb4e81c902 7336aad25f7bf3b5 37adc0641c4c4f6a
  c9b2db2b9a3e42f9 f910e48020ab363c 1bf52b0a6feea7db 00741dc269e8b3ef e20103fa1ba776ef 4c2210e54b681d73
  70741045ae3fa6f1 0c86403739714038 0d899ed8112923f0 226bf5fab81ee1b8 2d925ffb1e0016b5 361958d52cee10f1`

const hex = (bytes: readonly number[]): string => bytes.map((b) => b.toString(16).padStart(2, '0')).join('')

function fingerprintOf(key: string, secret: Secret): string {
  const fingerprint = new Fingerprint(secret)
  fingerprint.of(key)
  return hex([fingerprint.low, fingerprint.high].flatMap((w) => [0, 8, 16, 24].map((s) => (w >>> s) & 0xff)))
}

/** What the bytes that stand for a key hash to, by the plain implementation. */
function expected(key: string, secret: Secret): string {
  const units = Array.from({ length: key.length }, (_, at) => key.charCodeAt(at))
  const isLatin1 = units.every((unit) => unit < 256)
  const bytes = isLatin1 ? units : units.flatMap((unit) => [unit & 0xff, unit >>> 8])
  const words = isLatin1 ? secret.slice(0, 2) : secret.slice(2)
  const secretBytes = words.flatMap((word) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff))
  return hex(halfSipHash(bytes, secretBytes, 1, 3))
}

/** Where a key is looked for first, of 256 places. */
function home(key: string, secret: Secret): number {
  const fingerprint = new Fingerprint(secret)
  fingerprint.of(key)
  return fingerprint.low & 0xff
}

const anySecret = fc.tuple(...([0, 1, 2, 3] as const).map(() => fc.integer())) as fc.Arbitrary<
  [number, number, number, number]
>

test('the plain HalfSipHash that the store’s own is held against gives the published vectors', () => {
  const secret = [0, 1, 2, 3, 4, 5, 6, 7]
  const published = PUBLISHED.trim().split(/\s+/)
  expect(published).toHaveLength(30)
  for (const [length, right] of published.entries()) {
    const bytes = Array.from({ length }, (_, at) => at)
    expect(hex(halfSipHash(bytes, secret, 2, 4)), `${length} bytes`).toBe(right)
  }
  expect(wordAt([1, 2, 3, 4], 0)).toBe(0x04030201)
})

test('a fingerprint is HalfSipHash-1-3 of Latin-1, and of UTF-16 under the other half of the secret', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 })),
      anySecret,
      (key, secret) => {
        expect(fingerprintOf(key, secret)).toBe(expected(key, secret))
      },
    ),
    { numRuns: 2000 },
  )
})

test('keys of every length, and keys that differ in one bit or only in zeros, have fingerprints of their own', () => {
  const secret = randomSecret()
  const keys = new Set<string>()
  for (let length = 0; length <= 600; length += 1) {
    keys.add('\0'.repeat(length))
    keys.add('a'.repeat(length))
    keys.add('\u0100'.repeat(length))
    keys.add('\ud800'.repeat(length))
  }
  for (let bit = 0; bit < 16; bit += 1) keys.add(`10.0.0.${String.fromCharCode(1 << bit)}`)
  expect(new Set([...keys].map((key) => fingerprintOf(key, secret))).size).toBe(keys.size)
})

test('no two stores share a secret', () => {
  const secrets = Array.from({ length: 100 }, () => randomSecret())
  expect(new Set(secrets.flat()).size).toBe(400)
})

test('keys that all start in one place under one secret spread evenly under another', () => {
  const known: Secret = [1, 2, 3, 4]
  const chosen: string[] = []
  for (let n = 0; chosen.length < 2560; n += 1)
    if (home(`client-${n}`, known) === 0) chosen.push(`client-${n}`)
  const counts = Array.from({ length: 256 }, () => 0)
  for (const key of chosen) counts[home(key, [5, 6, 7, 8])]! += 1
  // Ten are expected in each place; 35 would be eight standard deviations more.
  expect(Math.max(...counts)).toBeLessThan(35)
})
