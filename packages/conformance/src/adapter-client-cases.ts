import { deepStrictEqual, strictEqual } from 'node:assert'
import { type AdapterCase, adapterCase } from './adapter-case.ts'

const one = { capacity: 1, perHour: 1 } as const

/** A case in which each forwarded address asks once, and is let through or not. */
function forwarded(
  name: string,
  options: Parameters<typeof adapterCase>[1],
  rows: readonly (readonly [address: string, status: number])[],
): AdapterCase {
  return adapterCase(
    name,
    options,
    async ({ status }) => {
      for (const [address, right] of rows) {
        strictEqual(await status({ headers: { 'x-forwarded-for': address } }), right, address)
      }
    },
    { trust: true },
  )
}

/** Whom a client is, by group G and the wire tests of identity. */
export const clientCases: readonly AdapterCase[] = [
  adapterCase('B05 each address has a bucket of its own', one, async ({ status }) => {
    deepStrictEqual(
      [
        await status({ from: '127.0.0.2' }),
        await status({ from: '127.0.0.3' }),
        await status({ from: '127.0.0.2' }),
      ],
      [200, 200, 429],
    )
  }),
  adapterCase(
    'G23 keys that differ only at their end stay apart',
    ({ header }) => ({ ...one, key: (ctx) => header(ctx, 'x-key') ?? null }),
    async ({ status }) => {
      for (const length of [128, 199, 255, 256, 1024, 8000]) {
        for (const last of 'ab')
          strictEqual(await status({ headers: { 'x-key': 'k'.repeat(length) + last } }), 200)
        strictEqual(await status({ headers: { 'x-key': `${'k'.repeat(length)}a` } }), 429)
      }
    },
  ),
  forwarded('G01 IPv4 clients on a dual-stack socket', one, [
    ['::ffff:198.51.100.10', 200],
    ['::ffff:198.51.100.11', 200],
    ['198.51.100.10', 429],
  ]),
  forwarded('G02 wire 37 one address in every spelling', one, [
    ['::ffff:192.0.2.1', 200],
    ['::FFFF:C000:201', 429],
    ['192.0.2.1', 429],
    ['0:0:0:0:0:ffff:c000:0201', 429],
    ['192.0.2.2', 200],
  ]),
  forwarded('G04 the addresses of one /56 are one client', one, [
    ['2001:db8:10:ab01::1', 200],
    ['2001:db8:10:ab01:ffff::9', 429],
    ['2001:db8:10:ab7f::9', 429],
    ['2001:db8:10:ac01::1', 200],
  ]),
  forwarded('G04 the addresses of one /64, if asked for', { ...one, ipv6Prefix: 64 }, [
    ['2001:db8:10:ab01::1', 200],
    ['2001:db8:10:ab01:ffff::9', 429],
    ['2001:db8:10:ab7f::9', 200],
    ['2001:db8:10:ac01::1', 200],
  ]),
  forwarded('G05 textual forms of one address', { ...one, ipv6Prefix: 128 }, [
    ['2001:0DB8:0000:0000:0000:0000:0000:00AA', 200],
    ['2001:db8::aa', 429],
    ['2001:DB8:0:0::AA', 429],
    ['[2001:db8::aa]', 429],
  ]),
  forwarded('G07 a port is no part of a client', one, [
    ['192.0.2.4:5000', 200],
    ['192.0.2.4', 429],
    ['192.0.2.4:5001', 429],
    ['[2001:db8::4]:5000', 200],
    ['[2001:db8::4]:6000', 429],
  ]),
  forwarded('wire 39 NAT64 is the IPv4 address inside', one, [
    ['64:ff9b::c000:201', 200],
    ['64:ff9b::c000:202', 200],
    ['192.0.2.1', 429],
    ['2001:db8:1:2::1', 200],
    ['2001:DB8:0001:00ff:1::9', 429],
    ['2001:db8:1:100::1', 200],
  ]),
  forwarded('G08 wire 38 only what the trusted proxy says counts', one, [
    ['6.6.6.6, 203.0.113.50', 200],
    ['7.7.7.7, 203.0.113.50', 429],
    ['203.0.113.50', 429],
  ]),
  forwarded('wire 38 what is no address falls back to the proxy', one, [
    ['not-an-ip', 200],
    ['unknown', 429],
    ['_hidden', 429],
    ['a'.repeat(8000), 429],
    ['999.1.1.1', 429],
  ]),
  adapterCase('G10 without trust the header is ignored', one, async ({ status }) => {
    const from = (address: string): Promise<number> =>
      status({ headers: { 'x-forwarded-for': address }, from: '127.0.0.8' })
    deepStrictEqual([await from('198.51.100.1'), await from('198.51.100.2')], [200, 429])
  }),
  adapterCase('G22 Forwarded alone is ignored', one, async ({ status }) => {
    const from = (address: string): Promise<number> => status({ headers: { forwarded: `for=${address}` } })
    deepStrictEqual([await from('198.51.100.1'), await from('198.51.100.2')], [200, 429])
  }),
  adapterCase(
    'G13 a client that is exempt makes nobody else so',
    ({ header }) => ({
      ...one,
      key: (ctx) => (header(ctx, 'x-client') === 'friend' ? null : (header(ctx, 'x-client') ?? '')),
    }),
    async ({ status }) => {
      const by = (client: string): Promise<number> => status({ headers: { 'x-client': client } })
      deepStrictEqual([await by('a'), await by('b')], [200, 200])
      for (let count = 0; count < 5; count += 1) strictEqual(await by('friend'), 200)
      strictEqual(await by('a'), 429)
    },
  ),
  adapterCase(
    'wire 38 two lines are one list, and a port is no part of it',
    one,
    async ({ status }) => {
      const by = (...lines: string[]): Promise<number> => status({ headers: { 'x-forwarded-for': lines } })
      deepStrictEqual(
        [
          await by('6.6.6.6', '203.0.113.50'),
          await by('7.7.7.7', '203.0.113.50'),
          await by('203.0.113.50:5555'),
        ],
        [200, 429, 429],
      )
    },
    { trust: true },
  ),
  adapterCase(
    'wire 40 over a Unix socket all are one client',
    one,
    async ({ status }) => {
      const by = (address: string): Promise<number> => status({ headers: { 'x-forwarded-for': address } })
      deepStrictEqual([await by('198.51.100.1'), await by('198.51.100.2'), await status()], [200, 429, 429])
    },
    { overUnixSocket: true },
  ),
  adapterCase(
    'wire 40 a trusted proxy over a Unix socket names its clients',
    one,
    async ({ status }) => {
      const by = (address: string): Promise<number> => status({ headers: { 'x-forwarded-for': address } })
      deepStrictEqual(
        [await by('198.51.100.1'), await by('198.51.100.2'), await by('198.51.100.1')],
        [200, 200, 429],
      )
    },
    { trust: true, overUnixSocket: true },
  ),
]
