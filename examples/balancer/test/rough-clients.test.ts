import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tokenBucket } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { createBalancer } from '../balancer.ts'
import { ask, everythingFrom, reached, setup, until } from './support.ts'

const MIB = 2 ** 20
const UPLOAD = 64 * MIB

test('an upload of 64 MiB that is refused never reaches a backend, and its connection lives on', async () => {
  const { backends, port } = await setup({ policies: [tokenBucket({ capacity: 1, perHour: 1 })] })
  await ask(port)
  // A bare socket, since Node's client sends no more once an answer has come.
  const socket = connect(port, '127.0.0.1')
  const everything = everythingFrom(socket)
  socket.write(`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${UPLOAD}\r\n\r\n`)
  const chunk = Buffer.alloc(MIB)
  for (let sent = 0; sent < UPLOAD; sent += chunk.length) {
    if (!socket.write(chunk)) await once(socket, 'drain')
  }
  // The connection has outlived what nobody wanted to read.
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect((await everything).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 429', 'HTTP/1.1 429'])
  expect(reached(backends)).toBe(1)
})

test('who asks first whether to send a body is told 429 in place of 100', async () => {
  const { backends, port } = await setup({ policies: [tokenBucket({ capacity: 1, perHour: 1 })] })
  const offer = async (): Promise<string> => {
    const req = request({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: '/echo',
      headers: { expect: '100-continue', 'content-length': 4 },
    })
    req.on('error', () => undefined)
    req.flushHeaders()
    let told = ''
    req.once('continue', () => {
      told = '100 '
      req.end('body')
    })
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    res.resume()
    req.destroy()
    return `${told}${res.statusCode}`
  }
  expect([await offer(), await offer()]).toEqual(['100 200', '429'])
  expect(reached(backends)).toBe(1)
})

test('clients that leave in the middle of an upload take their request to the backend with them', async () => {
  let broken = 0
  const { balancer, backends, port } = await setup({
    backends: 1,
    onRequest: (req) => void req.once('close', () => (broken += req.complete ? 0 : 1)),
  })
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, '127.0.0.1')
    const closed = everythingFrom(socket)
    socket.write('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome of it')
    await until(() => reached(backends) === count + 1)
    if (count % 2 === 0) socket.resetAndDestroy()
    else socket.destroy()
    await closed
  }
  await until(() => broken === 20)
  // Nothing of it is the backend's fault, and nothing is left.
  expect(balancer.backends.all[0]).toMatchObject({ isUp: true, failed: 0 })
  await until(() => connections(balancer.server).then((count) => count === 0))
  expect((await ask(port)).status).toBe(200)
})

test('a slow reader holds back its backend, not the memory of the balancer', async () => {
  let written = 0
  const chunk = Buffer.alloc(MIB)
  function pour(res: ServerResponse): void {
    while (written < UPLOAD) {
      written += chunk.length
      if (!res.write(chunk)) {
        res.once('drain', () => pour(res))
        return
      }
    }
    res.end()
  }
  const backend = createServer((req, res) => {
    if (req.url === '/health') res.end()
    else pour(res)
  }).listen(0, '127.0.0.1')
  await once(backend, 'listening')
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`
  const balancer = createBalancer({ backends: [{ name: 'fountain', url }], trustedHops: 0 })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  onTestFinished(async () => {
    await balancer.close(0)
    backend.close()
    backend.closeAllConnections()
  })
  const { port } = balancer.server.address() as AddressInfo
  const req = request({ host: '127.0.0.1', port, agent: false })
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  // Nobody reads: what is under way stands still once the kernel's buffers are full.
  let stood = -1
  await until(async () => {
    if (stood === written) return true
    stood = written
    await new Promise((resolve) => setTimeout(resolve, 100))
    return false
  })
  expect(written).toBeLessThan(UPLOAD)
  expect((await ask(port, { path: '/health' })).status).toBe(200)
  let read = 0
  for await (const chunk of res) read += (chunk as Buffer).length
  expect(read).toBe(UPLOAD)
})

test('1,000 idle connections cost nobody an answer, and are gone when they are gone', async () => {
  const { balancer, port } = await setup()
  const idle: Socket[] = []
  for (let count = 0; count < 1000; count += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    idle.push(socket)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    if (count % 100 === 99) await Promise.all(idle.slice(-100).map((socket) => once(socket, 'data')))
  }
  expect(await connections(balancer.server)).toBe(1000)
  expect((await ask(port)).status).toBe(200)
  for (const socket of idle) socket.destroy()
  await until(() => connections(balancer.server).then((count) => count === 0))
})

function connections(server: {
  getConnections(done: (error: Error | null, count: number) => void): unknown
}): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}
