import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rateLimit } from '@tickbucket/http'
import { expect, test } from 'vitest'

/** Posts a body that waits for `100 Continue`, and tells what came back and whether the body was sent. */
async function post(port: number): Promise<string> {
  const sent = request({
    port,
    method: 'POST',
    headers: { expect: '100-continue', 'content-length': '5' },
  })
  let isAsked = false
  sent.once('continue', () => {
    isAsked = true
    sent.end('hello')
  })
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const chunk of response) body += String(chunk)
  sent.destroy()
  return `${response.statusCode} ${isAsked ? body : 'never asked'}`
}

test('wire 32 what waits for 100 Continue is asked for if it is let through, and never if it is refused', async () => {
  const limit = rateLimit({ capacity: 1, perHour: 1 })
  const server = createServer((req, res) =>
    limit(req, res, () => {
      if (req.headers.expect === '100-continue') res.writeContinue()
      req.pipe(res)
    }),
  )
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect([await post(port), await post(port)]).toEqual(['200 hello', '429 never asked'])
  server.close()
})
