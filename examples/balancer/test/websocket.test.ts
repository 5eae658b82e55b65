import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tokenBucket } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createBalancer } from '../balancer.ts'
import { ask, everythingFrom, reached, setup, until } from './support.ts'

function open(url: string): WebSocket {
  const socket = new WebSocket(url.replace('http', 'ws'))
  socket.on('error', () => undefined)
  onTestFinished(() => socket.terminate())
  return socket
}

test('a WebSocket is counted, passed on both ways, and refused with a 429 before the 101', async () => {
  const { backends, clock, port, url } = await setup({
    policies: [tokenBucket({ capacity: 2, perMinute: 60 })],
  })
  const socket = open(url)
  await once(socket, 'open')
  const big = Buffer.alloc(1_000_000, 'x')
  socket.send('hello')
  expect(String((await once(socket, 'message'))[0])).toBe('hello')
  socket.send(big)
  expect((await once(socket, 'message'))[0]).toEqual(big)

  // An upgrade and a request take from one bucket.
  expect((await ask(port)).headers['x-ratelimit-remaining']).toBe('0')
  const [, refused] = (await once(open(url), 'unexpected-response')) as [unknown, IncomingMessage]
  expect(refused.statusCode).toBe(429)
  expect(refused.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/problem+json' })
  expect(reached(backends)).toBe(2)

  // Open ones live on, and a token later there is room for another.
  socket.send('still there?')
  expect(String((await once(socket, 'message'))[0])).toBe('still there?')
  clock.advance(1000)
  await once(open(url), 'open')
})

test('when its backend dies a WebSocket ends; one that no backend takes is a 502 or a 503', async () => {
  const { balancer, backends, url } = await setup({ backends: 1, checkEveryMs: 60_000 })
  const socket = open(url)
  await once(socket, 'open')
  await backends[0]!.kill()
  await once(socket, 'close')
  for (const status of [502, 503]) {
    const [, answer] = (await once(open(url), 'unexpected-response')) as [unknown, IncomingMessage]
    expect(answer.statusCode).toBe(status)
  }
  expect(balancer.backends.all[0]).toMatchObject({ isUp: false })
})

test('an upgrade to something else is an ordinary request, as RFC 9110 allows', async () => {
  const { port } = await setup()
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' }
  expect(await ask(port, { headers })).toMatchObject({ status: 200 })
})

test('whoever leaves in the middle of an upgrade takes nothing down', async () => {
  const { port, url } = await setup()
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    const closed = everythingFrom(socket)
    if (count % 2 === 0) socket.resetAndDestroy()
    else socket.end()
    await closed
  }
  await once(open(url), 'open')
})

test('a WebSocket that the balancer cuts off ends at its backend, too', async () => {
  const backend = createServer().listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server: backend })
  sockets.on('connection', (client) => client.on('error', () => client.terminate()))
  await once(backend, 'listening')
  onTestFinished(() => void backend.close())
  const address = (server: { address(): unknown }) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const balancer = createBalancer({ backends: [{ name: 'one', url: address(backend) }], trustedHops: 0 })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  await once(open(address(balancer.server)), 'open')
  expect(sockets.clients.size).toBe(1)
  await balancer.close(0)
  await until(() => sockets.clients.size === 0)
})
