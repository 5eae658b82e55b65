import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer as createHttp1Server } from 'node:http'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { manualClock } from '@tickbucket/conformance'
import { leakyBucket, memoryStore } from '@tickbucket/core'
import { rateLimit } from '@tickbucket/http'
import { expect, test } from 'vitest'

const MANY = 10_000
const SESSIONS = 20

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heapBytes(): number {
  gc()
  gc()
  return process.memoryUsage().heapUsed
}

test('ten thousand delayed requests at once: in order, none lost, and the memory comes back', async () => {
  const limit = rateLimit({
    policies: [leakyBucket({ queue: MANY, perSecond: 10_000 })],
    key: () => 'client',
    store: memoryStore({ clock: manualClock() }),
  })
  const delays: number[] = []
  const server = createServer((req, res) => {
    limit(req, res, () => {
      const { rateLimit } = req as { rateLimit?: { delayMs: number } }
      delays.push(rateLimit!.delayMs)
      res.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function burst(count: number): Promise<number[]> {
    const sessions = Array.from({ length: SESSIONS }, () => connect(`http://127.0.0.1:${port}`))
    const statuses = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const stream = sessions[index % SESSIONS]!.request({ ':path': '/' })
        const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
        stream.resume()
        if (!stream.closed) await once(stream, 'close')
        return headers[':status']
      }),
    )
    await Promise.all(sessions.map((session) => (session.close(), once(session, 'close'))))
    return statuses
  }

  await burst(SESSIONS)
  const warmed = delays.splice(0).length
  const before = heapBytes()
  const statuses = await burst(MANY + 1 - warmed)
  expect(statuses.filter((status) => status === 200)).toHaveLength(MANY + 1 - warmed)
  expect(delays).toEqual(
    Array.from({ length: MANY + 1 - warmed }, (_, index) => Math.ceil((warmed + index) / 10)),
  )
  statuses.length = 0
  delays.length = 0
  expect(heapBytes() - before).toBeLessThan(MANY * 100)
  server.close()
})

test('a request that has waited goes on in its own context, not in that of another', async () => {
  const limit = rateLimit({
    policies: [leakyBucket({ queue: 10, perSecond: 200 })],
    key: () => 'client',
    store: memoryStore({ clock: manualClock() }),
  })
  const context = new AsyncLocalStorage<string>()
  const server = createHttp1Server((req, res) => {
    context.run(req.url!, () => limit(req, res, () => res.end(context.getStore())))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const paths = Array.from({ length: 8 }, (_, index) => `/${index}`)
  const told = await Promise.all(
    paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()),
  )
  expect(told).toEqual(paths)
  server.close()
  server.closeAllConnections()
})
