import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { leakyBucket } from '@tickbucket/core'
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

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'

test.each(['resetAndDestroy', 'destroy', 'end'] as const)(
  'H20 a client that leaves (%s) while it waits for an answer is dropped',
  async (leave) => {
    const nexts: (string | undefined)[] = []
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    process.on('uncaughtException', onError)
    const server = createServer()
    const gone = once(server, 'gone')
    const limit = rateLimit({ key: () => gone.then(() => 'client') })
    server.on('upgrade', (req, socket) => {
      socket.once('close', () => server.emit('gone'))
      limit.upgrade(req, socket, () => nexts.push(req.url))
      client[leave]()
    })
    server.listen(0)
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1', () => client.write(HEAD))
    await gone
    await new Promise(setImmediate)
    process.off('uncaughtException', onError)
    expect([nexts, errors]).toEqual([[], []])
    server.close()
  },
)

test('H20 a client that is refused and never ends its side keeps no socket', async () => {
  const limit = rateLimit({ key: () => 'client', capacity: 1, perHour: 1 })
  const server = createServer()
  const sockets: Socket[] = []
  server.on('upgrade', (req, socket) => {
    sockets.push(socket as Socket)
    limit.upgrade(req, socket, () => socket.destroy())
  })
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answers: string[] = []
  for (let count = 0; count < 2; count += 1) {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.write(HEAD)
    let answer = ''
    client.on('data', (chunk) => (answer += String(chunk)))
    await once(client, 'end')
    answers.push(answer.split('\r\n')[0]!)
    if (!sockets[count]!.closed) await once(sockets[count]!, 'close')
    client.destroy()
  }
  expect(answers).toEqual(['', 'HTTP/1.1 429 Too Many Requests'])
  server.close()
})

test('H20 a client that leaves while a leaky bucket delays it gives its place up', async () => {
  const limit = rateLimit({ key: () => 'client', policies: [leakyBucket({ queue: 5, perSecond: 4 })] })
  const server = createServer()
  const nexts: unknown[] = []
  server.on('upgrade', (req, socket) =>
    limit.upgrade(req, socket, () => {
      nexts.push(req.url)
      socket.destroy()
    }),
  )
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = ['/first', '/gone', '/last'].map((path) => {
    const client = connect(port, '127.0.0.1')
    client.write(HEAD.replace('/', path))
    return client
  })
  await once(clients[0]!, 'close')
  clients[1]!.end()
  await once(clients[1]!, 'close')
  await once(clients[2]!, 'close')
  expect(nexts).toEqual(['/first', '/last'])
  server.close()
})

test('H20 what a client sends before it is let through is there for who takes the socket', async () => {
  const limit = rateLimit({ key: () => sleep(20).then(() => 'client') })
  const server = createServer()
  server.on('upgrade', (req, socket, head) =>
    limit.upgrade(req, socket, () => {
      socket.write(head)
      socket.pipe(socket)
    }),
  )
  server.listen(0)
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(`${HEAD}one,`)
  setTimeout(() => client.write('two,'), 5)
  setTimeout(() => client.end('three'), 60)
  let echo = ''
  for await (const chunk of client) echo += String(chunk)
  expect(echo).toBe('one,two,three')
  server.close()
})

test('H20 where a callback fails an upgrade is answered with 500, and the operator is told', async () => {
  const failing = () => {
    throw new Error('no key today')
  }
  for (const key of [failing, async () => failing()]) {
    const limit = rateLimit({ key })
    const server = createServer()
    const nexts: unknown[] = []
    server.on('upgrade', (req, socket) => limit.upgrade(req, socket, () => nexts.push(req.url)))
    server.listen(0)
    await once(server, 'listening')
    const warned = once(process, 'warning')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.write(HEAD)
    let answer = ''
    for await (const chunk of client) answer += String(chunk)
    expect([answer.split('\r\n')[0], nexts]).toEqual(['HTTP/1.1 500 Internal Server Error', []])
    expect(await warned).toMatchObject([{ message: 'no key today' }])
    server.close()
  }
})

test('H20 who goes on has a socket that tells its own errors', async () => {
  const limit = rateLimit({ key: async () => 'client' })
  const server = createServer()
  const listening = new Promise<number>((resolve) => {
    server.on('upgrade', (req, socket) => {
      const before = socket.listenerCount('error')
      limit.upgrade(req, socket, () => {
        resolve(socket.listenerCount('error') - before)
        socket.destroy()
      })
    })
  })
  server.listen(0)
  await once(server, 'listening')
  connect((server.address() as AddressInfo).port, '127.0.0.1').end(HEAD)
  expect(await listening).toBe(0)
  server.close()
})
