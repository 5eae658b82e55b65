import { once } from 'node:events'
import {
  connect,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { GuardOptions } from '@tickbucket/core'
import { limited } from '@tickbucket/http'
import { expect, test } from 'vitest'

type Head = IncomingHttpHeaders & IncomingHttpStatusHeader

/** So many streams at once on one connection of HTTP/2, and what came back. */
async function streams(
  options: GuardOptions<Http2ServerRequest, Http2ServerResponse>,
  count: number,
): Promise<{ heads: Head[]; bodies: string[]; warnings: Error[] }> {
  const warnings: Error[] = []
  const onWarning = (warning: Error): number => warnings.push(warning)
  process.on('warning', onWarning)
  const server = createServer(
    limited(options, (req, res) => res.end(`${typeof req.stream.id} ${req.rateLimit?.remaining}`)),
  )
  server.listen(0)
  await once(server, 'listening')
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const answers = Array.from({ length: count }, async () => {
    const stream = session.request({ ':path': '/' })
    const [head] = (await once(stream, 'response')) as [Head]
    let body = ''
    for await (const chunk of stream) body += String(chunk)
    return { head, body }
  })
  const seen = await Promise.all(answers)
  session.close()
  server.close()
  await once(server, 'close')
  process.off('warning', onWarning)
  return { heads: seen.map(({ head }) => head), bodies: seen.map(({ body }) => body), warnings }
}

test('wire 33 H25 of thirty streams on one connection ten pass, and nothing warns', async () => {
  const { heads, bodies, warnings } = await streams({ capacity: 10, perHour: 1 }, 30)
  expect(heads.filter((head) => head[':status'] === 200)).toHaveLength(10)
  const refused = heads.find((head) => head[':status'] === 429)
  expect(refused).toMatchObject({
    'retry-after': '3600',
    'content-type': 'application/problem+json',
    'content-length': '143',
    'cache-control': 'no-store',
  })
  expect(refused).not.toHaveProperty('connection')
  const answers = Array.from({ length: 10 }, (_, left) => `number ${left}`)
  expect(bodies.filter((body) => body.startsWith('number')).toSorted()).toEqual(answers)
  expect(bodies.filter((body) => body.startsWith('{"type":'))).toHaveLength(20)
  expect(warnings).toEqual([])
})

test('where a callback fails, it is answered with 500, and the operator is told', async () => {
  const { heads, warnings } = await streams({ key: () => Promise.reject(new Error('no key today')) }, 1)
  expect(heads[0]?.[':status']).toBe(500)
  expect(warnings.map(({ message }) => message)).toEqual(['no key today'])
})
