import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tokenBucket } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { createBalancer } from '../balancer.ts'
import { startBackend } from '../backend.ts'
import { ask, reached, setup, until } from './support.ts'

test('a backend dies under load: every request has one answer, and none reaches two backends but idempotent ones', async () => {
  const { balancer, backends, port } = await setup({ checkEveryMs: 20 })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  onTestFinished(() => agent.destroy())
  const send = async (method: string) => {
    const body = method === 'POST' ? 'x' : undefined
    const { status } = await ask(port, { method, agent, path: '/' }, body)
    return `${method} ${status}`
  }
  const sent: Promise<string>[] = []
  for (let round = 0; round < 30; round += 1) {
    for (let count = 0; count < 10; count += 1) sent.push(send('GET'), send('POST'))
    if (round === 10) void backends[0]!.kill()
    await Promise.all(sent.slice(-20))
  }
  const answers = await Promise.all(sent)
  const count = (answer: string) => answers.filter((other) => other === answer).length
  // What cannot be repeated is told so; what can be is repeated, and its client knows nothing of it.
  expect(count('GET 200')).toBe(300)
  expect(count('POST 200') + count('POST 502')).toBe(300)
  const attempts = balancer.backends.all.reduce((sum, { sent }) => sum + sent, 0)
  const failed = balancer.backends.all.reduce((sum, { failed }) => sum + failed, 0)
  expect(attempts - failed).toBe(300 + count('POST 200'))
  expect(reached(backends)).toBeGreaterThanOrEqual(300 + count('POST 200'))
  expect(reached(backends)).toBeLessThanOrEqual(attempts)
  expect(balancer.backends.all.map(({ isUp }) => isUp)).toEqual([false, true, true])
})

/** Accepts, reads a request and closes: the worst moment to die. */
async function startDying(answer = ''): Promise<{ name: string; url: string; count: () => number }> {
  let count = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (head) => {
      if (head.includes('/health')) {
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
        return
      }
      count += 1
      if (answer === '') socket.destroy()
      else socket.write(answer, () => setTimeout(() => socket.destroy(), 20))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    name: 'dying',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
  }
}

async function setupDying(answer?: string) {
  const dying = await startDying(answer)
  const alive = await startBackend('alive')
  const balancer = createBalancer({ backends: [dying, alive], trustedHops: 0 })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  onTestFinished(async () => {
    await balancer.close(0)
    await alive.kill()
  })
  return { dying, alive, port: (balancer.server.address() as AddressInfo).port }
}

test.each([
  ['GET', undefined, 200],
  ['HEAD', undefined, 200],
  ['PUT', undefined, 200],
  ['DELETE', undefined, 200],
  ['POST', undefined, 502],
  ['PATCH', 'x', 502],
  ['PUT', 'x', 502],
  ['DELETE', 'x', 502],
])('%s with body %j before a backend that dies unanswered: %i', async (method, body, status) => {
  const { dying, alive, port } = await setupDying()
  const headers = { 'content-length': body?.length ?? 0 }
  expect(await ask(port, { method, headers }, body)).toMatchObject({ status })
  expect([dying.count(), alive.count()]).toEqual([1, status === 200 ? 1 : 0])
})

test('once a byte of an answer has come the request is not repeated, and the client sees that it broke', async () => {
  const { dying, alive, port } = await setupDying('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
  await expect(ask(port)).rejects.toThrow(/aborted|ECONNRESET|hang up/)
  expect([dying.count(), alive.count()]).toEqual([1, 0])
})

test('refused requests never reach a backend, dying or not', async () => {
  const { backends, port } = await setup({ policies: [tokenBucket({ capacity: 7, perHour: 1 })] })
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(port)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
  expect(reached(backends)).toBe(7)
  await backends[1]!.kill()
  expect((await ask(port)).status).toBe(429)
  expect(reached(backends)).toBe(7)
})

test('without any backend that is up it is 503, and one that comes back serves again', async () => {
  const { balancer, backends, port } = await setup({ backends: 1, checkEveryMs: 20 })
  const { url } = backends[0]!
  await backends[0]!.kill()
  await until(() => !balancer.backends.all[0]!.isUp)
  expect(await ask(port)).toMatchObject({
    status: 503,
    body: '{"type":"about:blank","title":"Service Unavailable","status":503}',
  })
  const again = await startBackend('again', Number(new URL(url).port))
  onTestFinished(() => again.kill())
  await until(() => balancer.backends.all[0]!.isUp)
  expect((await ask(port)).status).toBe(200)
})

test('a backend that does not begin to answer is 504', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const balancer = createBalancer({
    backends: [{ name: 'silent', url }],
    trustedHops: 0,
    answerTimeoutMs: 30,
  })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  expect((await ask((balancer.server.address() as AddressInfo).port)).status).toBe(504)
  await balancer.close(0)
  silent.close()
})
