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
  /** How often each request, by its id, reached a backend. */
  const arrivals = new Map<string, number>()
  const { balancer, backends, port } = await setup({
    checkEveryMs: 60_000,
    onRequest: ({ headers }) => {
      const id = String(headers['x-id'])
      arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
    },
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  onTestFinished(() => agent.destroy())
  const ids = Array.from({ length: 300 }, (_, index) => [`GET ${index}`, `POST ${index}`]).flat()
  const answers = new Map<string, number | undefined>()
  const send = async (id: string): Promise<void> => {
    const method = id.startsWith('POST') ? 'POST' : 'GET'
    const { status } = await ask(
      port,
      { method, agent, headers: { 'x-id': id } },
      method === 'POST' ? 'x' : undefined,
    )
    expect(answers.has(id)).toBe(false)
    answers.set(id, status)
  }
  for (let start = 0; start < ids.length; start += 20) {
    const round = ids.slice(start, start + 20).map(send)
    if (start === 200) {
      await until(() => arrivals.size > start)
      await backends[0]!.kill()
    }
    await Promise.all(round)
  }

  for (const id of ids) {
    const [status, times = 0] = [answers.get(id), arrivals.get(id)]
    if (id.startsWith('GET')) {
      // Repeated if need be, and its client knows nothing of it.
      expect([id, status]).toEqual([id, 200])
      expect(times).toBeGreaterThanOrEqual(1)
    } else {
      expect([200, 502]).toContain(status)
      expect(times).toBeLessThanOrEqual(1)
      if (status === 200) expect([id, times]).toEqual([id, 1])
    }
  }
  // Whatever was sent and did not fail is one answer.
  const { all } = balancer.backends
  const answered = all.reduce((sum, { sent, failed }) => sum + sent - failed, 0)
  expect(answered).toBe([...answers.values()].filter((status) => status === 200).length)
  expect(all.map(({ isUp, failed }) => [isUp, failed > 0])).toEqual([
    [false, true],
    [true, false],
    [true, false],
  ])
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
  await backends[0]!.kill()
  await until(() => !balancer.backends.all[0]!.isUp)
  expect(await ask(port)).toMatchObject({
    status: 503,
    body: '{"type":"about:blank","title":"Service Unavailable","status":503}',
  })
  await backends[0]!.revive()
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
