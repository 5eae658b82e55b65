import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { memoryStore, tokenBucket } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { createBalancer } from '../balancer.ts'
import { ask, everythingFrom } from './support.ts'

/** A balancer that allows ten requests, before a backend that answers by `listener`. */
async function before(listener: RequestListener): Promise<number> {
  const backend = createServer(listener).listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const balancer = createBalancer({
    backends: [{ name: 'one', url: `http://127.0.0.1:${(backend.address() as AddressInfo).port}` }],
    trustedHops: 0,
    limits: {
      policies: [tokenBucket({ capacity: 10, perHour: 1 })],
      createStore: () => memoryStore(),
    },
  })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  onTestFinished(async () => {
    await balancer.close(0)
    backend.close()
    backend.closeAllConnections()
  })
  return (balancer.server.address() as AddressInfo).port
}

test('a stream of events begins before its first event, and each one comes as it is sent', async () => {
  let say: (text: string) => void = () => undefined
  const port = await before((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.flushHeaders()
    say = (text) => res.write(text)
  })
  const req = request({ host: '127.0.0.1', port, agent: false })
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  expect(res.headers['content-type']).toBe('text/event-stream')
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    say(event)
    expect(String((await once(res, 'data'))[0])).toBe(event)
  }
  req.destroy()
})

test.each([
  ['GET', 'http://shop.example:81/cart?for=http://x/', '/cart?for=http://x/', 'shop.example:81'],
  ['GET', 'HTTP://shop.example', '/', 'shop.example'],
  ['GET', 'http://shop.example?q', '/?q', 'shop.example'],
  ['OPTIONS', '*', '*', 'asked.example'],
  ['GET', '//other.example/a', '//other.example/a', 'asked.example'],
  ['GET', '/a/../b?c#d', '/a/../b?c#d', 'asked.example'],
])('%s %s is %s of %s for the backend', async (method, target, path, host) => {
  const port = await before((req, res) => res.end(`${req.url} of ${req.headers.host}`))
  const socket = connect(port, '127.0.0.1')
  const everything = everythingFrom(socket)
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: asked.example\r\nConnection: close\r\n\r\n`)
  expect(await everything).toContain(`\r\n\r\n${path} of ${host}`)
})

test.each([
  ['looser', '1000', '900', '10', '9'],
  ['tighter', '5', '3', '5', '3'],
])(
  'of two limits the tighter one is told: the backend has a %s one',
  async (_, limit, left, told, toldLeft) => {
    const port = await before((_req, res) => {
      res.writeHead(200, { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': left }).end()
    })
    const { headers } = await ask(port)
    expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([told, toldLeft])
  },
)
