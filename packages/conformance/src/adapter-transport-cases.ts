import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect as connectHttp2, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import { connect } from 'node:net'
import { type AdapterCase, adapterCase, isRefused, quotaBody } from './adapter-case.ts'
import { warningsOf } from './warnings-of.ts'

const draft = { rateLimitHeaders: 'draft-11' } as const

/** What a server sends back over a socket of its own until it closes, for a request in so many lines. */
async function bytesOf(port: number, ...lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write([...lines, '', ''].join('\r\n'))
  let seen = ''
  for await (const chunk of socket) seen += String(chunk)
  return seen
}

/** What a server or a framework adds to every response of its own accord. */
const OF_THE_SERVER = /^(date|connection|keep-alive|x-powered-by):/

const bytes: readonly AdapterCase[] = [
  adapterCase(
    'wire 27 28 a refusal is the same from every adapter, to the byte',
    { capacity: 1, perMinute: 60, ...draft },
    async ({ ask, port }) => {
      await ask()
      const seen = await bytesOf(port, 'GET / HTTP/1.1', 'Host: a.example', 'Connection: close')
      const [head = '', body] = seen.split('\r\n\r\n')
      const [status, ...fields] = head.split('\r\n')
      strictEqual(status, 'HTTP/1.1 429 Too Many Requests')
      // No meaning lies in the order of fields, nor in the case of their names.
      const ours = fields.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
      deepStrictEqual(ours.filter((line) => !OF_THE_SERVER.test(line)).toSorted(), [
        'cache-control: no-store',
        'content-length: 143',
        'content-type: application/problem+json',
        'ratelimit-policy: "default";q=1;w=1',
        'ratelimit: "default";r=0;t=1',
        'retry-after: 1',
        'x-ratelimit-limit: 1',
        'x-ratelimit-remaining: 0',
      ])
      strictEqual(body, quotaBody('default'))
    },
  ),
  adapterCase(
    'wire 29 after a HEAD that is refused the connection is as good as before',
    { capacity: 1, perHour: 1 },
    async ({ ask }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      await ask({ agent })
      for (let count = 0; count < 3; count += 1) {
        strictEqual((await ask({ agent, method: 'HEAD' })).headers['content-length'], '143')
        isRefused(await ask({ agent }), 3600)
      }
      agent.destroy()
    },
  ),
  adapterCase(
    'wire 32 a body that waits for 100 Continue is refused before it is sent',
    { capacity: 1, perHour: 1 },
    async ({ ask, port }) => {
      await ask()
      const seen = await bytesOf(
        port,
        'POST /echo HTTP/1.1',
        'Host: a.example',
        'Content-Length: 1000000',
        'Expect: 100-continue',
        'Connection: close',
      )
      match(seen, /^HTTP\/1\.1 429 Too Many Requests\r\n/)
      ok(seen.endsWith(quotaBody('default')))
    },
  ),
]

type Head = IncomingHttpHeaders & IncomingHttpStatusHeader

/** So many streams at once on one connection of HTTP/2, and what came back. */
async function streams(port: number, count: number): Promise<{ head: Head; body: string }[]> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const answers = Array.from({ length: count }, async () => {
    const stream = session.request({ ':path': '/' })
    const [head] = (await once(stream, 'response')) as [Head]
    let body = ''
    for await (const chunk of stream) body += String(chunk)
    return { head, body }
  })
  const seen = await Promise.all(answers)
  session.close()
  await once(session, 'close')
  return seen
}

const http2: readonly AdapterCase[] = [
  adapterCase(
    'wire 33 H25 of thirty streams on one HTTP/2 connection ten pass, and nothing warns',
    { capacity: 10, perHour: 1 },
    async ({ port, handled }) => {
      let seen: Awaited<ReturnType<typeof streams>> = []
      const warnings = await warningsOf(async () => {
        seen = await streams(port, 30)
      })
      const refused = seen.filter(({ head }) => head[':status'] === 429)
      deepStrictEqual([seen.length - refused.length, handled.length, warnings], [10, 10, []])
      for (const { head, body } of refused) {
        deepStrictEqual(
          [head['retry-after'], head['content-type'], head['content-length'], head['cache-control']],
          ['3600', 'application/problem+json', '143', 'no-store'],
        )
        deepStrictEqual([head.connection, body], [undefined, quotaBody('default')])
      }
    },
    { http2: true },
  ),
]

/** Begins to post to `/echo`, and gives the request and what it is answered with while it is sent. */
async function echoing(port: number, first: string): Promise<[ClientRequest, IncomingMessage]> {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/echo' })
  sent.on('error', () => undefined)
  sent.write(first)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return [sent, response]
}

const lives: readonly AdapterCase[] = [
  adapterCase(
    'H20 a client that goes away in the middle of its body is counted once, and nothing fails',
    { capacity: 3, perHour: 1 },
    async ({ port, counted }) => {
      const [sent, response] = await echoing(port, 'begun')
      response.on('error', () => undefined)
      const closed = new Promise((resolve) => response.once('close', resolve))
      sent.destroy()
      await closed
      deepStrictEqual(
        [await counted(), await counted(), await counted()],
        [
          [200, '1'],
          [200, '0'],
          [429, '0'],
        ],
      )
    },
  ),
  adapterCase(
    'H20 a stream costs one, however long it goes on',
    { capacity: 3, perHour: 1 },
    async ({ port, counted, clock }) => {
      const [sent, response] = await echoing(port, 'a')
      const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>
      strictEqual(String((await chunks.next()).value), 'a')
      deepStrictEqual(await counted(), [200, '1'])
      clock.set(60_000)
      sent.end('b')
      strictEqual(String((await chunks.next()).value), 'b')
      strictEqual((await chunks.next()).done, true)
      deepStrictEqual(await counted(), [200, '0'])
    },
  ),
]

/** How a limiter behaves towards connections and their protocols. */
export const transportCases: readonly AdapterCase[] = [...bytes, ...http2, ...lives]
