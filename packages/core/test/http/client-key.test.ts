import { isIP } from 'node:net'
import { clientKey } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['1.2.3.4:5000', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:102:304', '1.2.3.4'],
  ['[::ffff:1.2.3.4]:80', '1.2.3.4'],
  ['64:ff9b::102:304', '1.2.3.4'],
  ['64:ff9b::1.2.3.4', '1.2.3.4'],
  ['64:ff9b:1::102:304', '64:ff9b:1::/56'],
  ['::1.2.3.4', '::/56'],
  ['::1', '::1'],
  ['::', '::/56'],
  ['fe80::1%eth0', 'fe80::1'],
  ['fe80::1%25', 'fe80::1'],
  ['febf::2', 'febf::2'],
  ['2002:102:304:5:6::7', '2002:102:304::/48'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['2001:db8:1:2::1', '2001:db8:1::/56'],
  ['2001:DB8:0001:00ff:1::9', '2001:db8:1::/56'],
  ['2001:db8:1:100::1', '2001:db8:1:100::/56'],
  ['[2001:db8:1:2::1]:4711', '2001:db8:1::/56'],
  ['[2001:db8:1:2::1%3]', '2001:db8:1::/56'],
])('%s is %s', (address, key) => {
  expect(clientKey(address, 56)).toBe(key)
})

test.each([
  [32, '2001:db8::/32'],
  [48, '2001:db8:aaaa::/48'],
  [64, '2001:db8:aaaa:bbbb::/64'],
  [65, '2001:db8:aaaa:bbbb:8000::/65'],
  [127, '2001:db8:aaaa:bbbb:cccc:dddd:eeee:fffe/127'],
  [128, '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff'],
])('a prefix of %i', (prefix, key) => {
  expect(clientKey('2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff', prefix)).toBe(key)
})

test.each([
  '',
  ' ',
  'unknown',
  '_hidden',
  'not-an-ip',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '1.2.3.256',
  '1.2.3.4:',
  '1.2.3.4:123456',
  '1.2.3.4:x',
  '1.2.3.4 ',
  '[1.2.3.4]',
  '[::1',
  '::1]',
  '[::1]x',
  '[::1]:',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '12345::',
  '::g',
  '::1%',
  '1:2:3:4:5:6:7::8',
  '::1.2.3',
  '::1.2.3.4:5',
  '1.2.3.4::',
  'a'.repeat(100_000),
  '\0',
  '１.2.3.4',
])('%o is no address', (text) => {
  expect(clientKey(text, 56)).toBeUndefined()
})

/** Eight groups, with runs of zeros as they are in real addresses. */
const groups = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom(0xffff, 0x64, 0xff9b, 0x2001, 0x2002, 0xfe80, 1),
  ),
  { minLength: 8, maxLength: 8 },
)

/** One way of many to write the eight groups of an address down. */
function spelt(
  address: readonly number[],
  choice: { upper: boolean; padded: boolean; gap: boolean; dotted: boolean; dress: number },
): string {
  let parts = address.map((group) => group.toString(16).padStart(choice.padded ? 4 : 1, '0'))
  if (choice.dotted) {
    const [high, low] = address.slice(6) as [number, number]
    parts = [...parts.slice(0, 6), [high >> 8, high & 255, low >> 8, low & 255].join('.')]
  }
  let text = parts.join(':')
  if (choice.gap) text = text.replace(/(^|:)0+(:0+)*(:|$)/, '::')
  if (choice.upper) text = text.toUpperCase()
  return [text, `[${text}]`, `[${text}]:4711`, `${text}%eth0`, `[${text}%1]:80`][choice.dress] ?? text
}

const spelling = fc.record({
  upper: fc.boolean(),
  padded: fc.boolean(),
  gap: fc.boolean(),
  dotted: fc.boolean(),
  dress: fc.integer({ min: 0, max: 4 }),
})

/** Whom the bits of an address name, worked out as one number. */
function clientOf(address: readonly number[], prefix: number): string {
  const bits = address.reduce((number, group) => (number << 16n) | BigInt(group), 0n)
  if (bits >> 32n === 0xffffn || bits >> 32n === 0x64_ff9bn << 64n) return `v4 ${bits & 0xffff_ffffn}`
  const isWhole = bits === 1n || bits >> 118n === 0xfe80n >> 6n || bits >> 96n === 0x2001_0000n
  const kept = BigInt(isWhole ? 128 : bits >> 112n === 0x2002n ? Math.min(prefix, 48) : prefix)
  return `v6 ${bits >> (128n - kept)} ${kept}`
}

test('equal bits give equal keys, in every spelling, and different clients different ones', () => {
  const keys = new Map<string, string>()
  fc.assert(
    fc.property(
      groups,
      fc.constantFrom(32, 48, 56, 63, 64, 65, 128),
      fc.array(spelling, { minLength: 1, maxLength: 4 }),
      (address, prefix, spellings) => {
        const client = clientOf(address, prefix)
        for (const choice of spellings) {
          const text = spelt(address, choice)
          const key = clientKey(text, prefix)
          expect(key, text).toBeDefined()
          expect(keys.get(key!) ?? client, text).toBe(client)
          keys.set(key!, client)
        }
      },
    ),
    { numRuns: 10_000 },
  )
  expect(new Set(keys.values()).size).toBe(keys.size)
})

test('a key is one for itself: it can be made a key again', () => {
  fc.assert(
    fc.property(groups, spelling, (address, choice) => {
      // A 6to4 address is cut to its site's /48 even so.
      fc.pre(address[0] !== 0x2002)
      const key = clientKey(spelt(address, choice), 128)!
      expect(clientKey(key, 128)).toBe(key)
      expect(key).not.toMatch(/undefined|%|\[|]/)
    }),
  )
})

test('what counts as an address is what Node says, over 200,000 texts, and none makes it throw', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    '25',
    '255',
    '256',
    '01',
    'ffff',
    'FFFF',
    'abcd',
    'g',
    '12345',
    '.',
    '.',
    '.',
    ':',
    ':',
    ':',
    '::',
    '1.2.3.4',
    '',
    ' ',
  )
  const pieces = fc.array(piece, { maxLength: 17 }).map((parts) => parts.join(''))
  const near = fc.tuple(groups, spelling, fc.nat(), piece).map(([address, choice, place, insert]) => {
    const text = spelt(address, { ...choice, dress: 0 })
    const at = place % (text.length + 1)
    return text.slice(0, at) + insert + text.slice(at + (place % 3))
  })
  const dotted = fc
    .array(fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.constantFrom('', '00', '1e1', '-1')), {
      minLength: 3,
      maxLength: 5,
    })
    .map((parts) => parts.join('.'))
  // Node takes no port and no brackets; those have tests of their own.
  const isDressed = /[[\]%]|\.\d+:\d*$/
  let compared = 0
  fc.assert(
    fc.property(fc.oneof(pieces, near, dotted, fc.string()), (text) => {
      const key = clientKey(text, 128)
      if (isDressed.test(text)) return
      compared += 1
      expect(key !== undefined, text).toBe(isIP(text) !== 0)
    }),
    { numRuns: 200_000 },
  )
  expect(compared).toBeGreaterThan(100_000)
})
