import { createHash } from 'node:crypto'
import { joinKey } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storeKey } from '../src/key.ts'
import { sha256 } from '../src/sha256.ts'

/** Any UTF-16 code units, lone surrogates and all. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units))

test('sha256 is SHA-256 of the code units', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = Buffer.alloc(text.length * 2)
      for (let index = 0; index < text.length; index += 1)
        bytes.writeUInt16BE(text.charCodeAt(index), index * 2)
      expect(sha256(text)).toBe(createHash('sha256').update(bytes).digest('hex'))
    }),
  )
})

test.each([0, 27, 28, 31, 32, 59, 60, 64, 1000])('sha256 pads a text of %i code units rightly', (length) => {
  const text = 'é'.repeat(length)
  expect(sha256(text)).toBe(createHash('sha256').update(Buffer.from(text, 'utf16le').swap16()).digest('hex'))
})

test('a key is kept as it is, unless it is long, ill-formed, or looks like a hash', () => {
  for (const plain of ['', '192.0.2.1', '__proto__', '{}:\0', '💥', 'x'.repeat(128)])
    expect(storeKey(plain)).toBe(plain)
  for (const other of ['x'.repeat(129), '\ud800', 'sha256:', `sha256:${'0'.repeat(64)}`])
    expect(storeKey(other)).toMatch(/^sha256:[0-9a-f]{64}$/)
})

test.each([128, 200, 255, 256, 1024, 100_000])(
  'G23 keys that differ only after %i characters stay apart',
  (length) => {
    const long = 'k'.repeat(length)
    expect(new Set([long, `${long}a`, `${long}b`, `${long}\ud800`, `${long}\ud801`].map(storeKey)).size).toBe(
      5,
    )
  },
)

test('no two keys share a string, not even by way of a hash', () => {
  const long = 'x'.repeat(500)
  expect(storeKey(storeKey(long))).not.toBe(storeKey(long))
})

test('no two lists of parts give one key', () => {
  const awkward = fc.array(fc.constantFrom('|', '\\', 'a', '')).map((parts) => parts.join(''))
  const list = fc.array(awkward, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(list, list, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      expect(joinKey(...(one as [string]))).not.toBe(joinKey(...(other as [string])))
    }),
    { numRuns: 2000 },
  )
  expect(joinKey('tenant-7', 'alice')).toBe('tenant-7|alice')
  expect(() => joinKey('a', 7 as never)).toThrow(expect.objectContaining({ code: 'INVALID_KEY', value: 7 }))
})
