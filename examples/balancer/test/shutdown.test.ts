import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ask, setup, until } from './support.ts'

test('a shutdown lets what is under way end, tells it that the connection ends, and takes no more', async () => {
  const { balancer, port } = await setup()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  await ask(port, { agent })
  const upload = request({ host: '127.0.0.1', port, agent: false, method: 'POST', path: '/echo' })
  upload.flushHeaders()
  await until(() => balancer.backends.all.reduce((sum, { sent }) => sum + sent, 0) === 2)

  const closed = balancer.close()
  upload.write('first half, ')
  upload.end('second half')
  const [res] = (await once(upload, 'response')) as [IncomingMessage]
  expect([res.statusCode, await text(res), res.headers.connection]).toEqual([
    200,
    'first half, second half',
    'close',
  ])
  await closed
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
})

test('what does not end in time is cut off', async () => {
  const { balancer, port, url } = await setup()
  const socket = new WebSocket(url.replace('http', 'ws'))
  socket.on('error', () => undefined)
  const upload = request({ host: '127.0.0.1', port, agent: false, method: 'POST', path: '/echo' })
  upload.on('error', () => undefined)
  upload.write('and then')
  await Promise.all([once(socket, 'open'), once(upload, 'response')])
  const gone = Promise.all([once(socket, 'close'), once(upload, 'close')])
  await balancer.close(20)
  await gone
})
