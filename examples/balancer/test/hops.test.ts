import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tokenBucket } from '@tickbucket/core'
import { memoryStore } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { createBalancer } from '../balancer.ts'
import type { TrustedHops } from '../hops.ts'
import { ask } from './support.ts'

/** A balancer before a backend that keeps what it was sent. */
async function behind(trustedHops: TrustedHops): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  const backend = createServer((req, res) => {
    if (req.url !== '/health') seen.push(req)
    res.writeHead(200, {
      connection: 'x-private, keep-alive',
      'x-private': '1',
      'keep-alive': 'timeout=9',
      'x-kept': '1',
    })
    res.end('ok')
  }).listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const policies = [tokenBucket({ capacity: 1, perHour: 1 })]
  const balancer = createBalancer({
    backends: [{ name: 'keeper', url: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` }],
    trustedHops,
    limits: { policies, createStore: () => memoryStore() },
  })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  onTestFinished(async () => {
    await balancer.close(0)
    backend.closeAllConnections()
    backend.close()
  })
  return { port: (balancer.server.address() as AddressInfo).port, seen }
}

test('a client whose hop is not trusted cannot choose its address, and nothing it says of it goes on', async () => {
  const { port, seen } = await behind(0)
  const lies = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-host': 'evil.example',
    'x-real-ip': '192.0.2.1',
    forwarded: 'for=192.0.2.1',
  }
  expect((await ask(port, { headers: lies })).status).toBe(200)
  expect((await ask(port, { headers: { ...lies, 'x-forwarded-for': '192.0.2.2' } })).status).toBe(429)
  const [{ headers }] = seen as [IncomingMessage]
  expect(headers['x-forwarded-for']).toBe('127.0.0.1')
  expect([headers['x-real-ip'], headers.forwarded]).toEqual([undefined, undefined])
  expect(headers['x-forwarded-host']).not.toBe('evil.example')
})

test.each([[1], [['loopback']]] as [TrustedHops][])(
  'with trusted hops %j only the address that the last hop saw counts',
  async (trustedHops) => {
    const { port, seen } = await behind(trustedHops)
    const from = (chain: string) => ask(port, { headers: { 'x-forwarded-for': chain } })
    expect((await from('10.1.1.1, 192.0.2.1')).status).toBe(200)
    expect((await from('10.2.2.2, 192.0.2.1')).status).toBe(429)
    expect((await from('10.2.2.2, 192.0.2.2')).status).toBe(200)
    expect(seen[0]!.headers['x-forwarded-for']).toBe('192.0.2.1, 127.0.0.1')
  },
)

test('two hops are two hops, and IPv6 clients are their /56', async () => {
  const { port, seen } = await behind(2)
  const from = (chain: string) => ask(port, { headers: { 'x-forwarded-for': chain } })
  expect((await from('9.9.9.9, 2001:db8:0:1::1, 10.0.0.1')).status).toBe(200)
  expect((await from('2001:db8:0:ff::2, 10.0.0.2')).status).toBe(429)
  expect((await from('2001:db8:0:100::2, 10.0.0.2')).status).toBe(200)
  expect(seen[0]!.headers['x-forwarded-for']).toBe('2001:db8:0:1::1, 10.0.0.1, 127.0.0.1')
})

test('fields of one connection stay on it, and a Connection field cannot take the client away', async () => {
  const { port, seen } = await behind(1)
  const { headers: answered } = await ask(port, {
    headers: {
      connection: 'close, x-forwarded-for, x-secret, content-length',
      'x-forwarded-for': '192.0.2.7',
      'x-secret': '1',
      'keep-alive': 'timeout=1',
      te: 'trailers',
      'proxy-authorization': 'Basic eA==',
      'x-kept': '1',
    },
  })
  const { headers } = seen[0]!
  expect(headers['x-forwarded-for']).toBe('192.0.2.7, 127.0.0.1')
  for (const name of ['x-secret', 'keep-alive', 'te', 'proxy-authorization'])
    expect(headers).not.toHaveProperty(name)
  expect(headers['x-kept']).toBe('1')
  expect(answered).toMatchObject({ 'x-kept': '1', connection: 'close' })
  for (const name of ['x-private', 'keep-alive']) expect(answered).not.toHaveProperty(name)
})

test.each([[-1], [1.5], [['10.0.0.0/99']], [['nonsense']]] as [TrustedHops][])(
  'trusted hops %j are an error at once',
  (trustedHops) => {
    expect(() => createBalancer({ backends: [], trustedHops })).toThrow(/hops|range|invalid/i)
  },
)
