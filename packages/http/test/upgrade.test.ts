import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rateLimit } from '@tickbucket/http'
import { expect, test } from 'vitest'

test('H20 a request to upgrade is counted, and refused before any 101', async () => {
  const limit = rateLimit({ capacity: 2, perHour: 1 })
  const server = createServer((req, res) => limit(req, res, () => res.end('hello')))
  server.on('upgrade', (req, socket) =>
    limit.upgrade(req, socket, () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n')
      socket.pipe(socket)
    }),
  )
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const ask = async (headers: Record<string, string>): Promise<string> => {
    const sent = request({ port, headers }).end()
    return Promise.race([
      once(sent, 'upgrade').then(async ([response, socket]) => {
        socket.end('ping')
        const [echo] = await once(socket, 'data')
        return `${response.statusCode} ${echo}`
      }),
      once(sent, 'response').then(async ([response]) => {
        let body = ''
        for await (const chunk of response) body += String(chunk)
        return `${response.statusCode} ${response.headers['retry-after'] ?? ''} ${response.headers.connection} ${body.length}`
      }),
    ])
  }
  const upgrade = { connection: 'upgrade', upgrade: 'echo' }
  expect(await ask(upgrade)).toBe('101 ping')
  expect(await ask({ connection: 'close' })).toBe('200  close 5')
  expect(await ask(upgrade)).toBe('429 3600 close 143')
  server.close()
})
