import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { rateLimit } from '@tickbucket/http'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import got from 'got'
import ky from 'ky'
import { Agent, request, RetryAgent } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What a client's requests were answered with, and when they came, in milliseconds. */
const visits = new Map<string, { status: number; at: number }[]>()
let url = ''

const limit = rateLimit({ capacity: 1, perMinute: 60, key: (req) => String(req.headers['x-client']) })

const server = createServer((req, res) => {
  const at = performance.now()
  res.on('finish', () => {
    const client = String(req.headers['x-client'])
    visits.set(client, [...(visits.get(client) ?? []), { status: res.statusCode, at }])
  })
  limit(req, res, () => res.end('hello'))
})

beforeAll(async () => {
  server.listen(0)
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

/** The body that each client comes back with after it was refused. */
const CLIENTS: Record<string, (headers: Record<string, string>) => Promise<string>> = {
  got: (headers) => got(url, { headers, retry: { limit: 2 } }).text(),
  ky: (headers) => ky(url, { headers, retry: { limit: 2 } }).text(),
  async undici(headers) {
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: 2, statusCodes: [429] })
    return (await request(url, { headers, dispatcher })).body.text()
  },
  async 'axios-retry'(headers) {
    const client = axios.create()
    axiosRetry(client, {
      retries: 2,
      retryCondition: ({ response }) => response?.status === 429,
      retryDelay: axiosRetry.linearDelay(1),
    })
    return (await client.get<string>(url, { headers })).data
  },
}

const hasCurl = spawnSync('curl', ['--version']).status === 0
if (hasCurl) {
  CLIENTS['curl'] = async (headers) => {
    const [[name, value]] = Object.entries(headers) as [[string, string]]
    return (await promisify(execFile)('curl', ['-sf', '--retry', '2', '-H', `${name}: ${value}`, url])).stdout
  }
} else process.stderr.write('curl is not on this machine: no test that it comes back in time\n')

test.concurrent.each(Object.keys(CLIENTS))(
  '%s is refused, waits as long as it is told, and is let through',
  async (name) => {
    const headers = { 'x-client': name }
    await fetch(url, { headers })
    // A timer may fire a millisecond early; the token has that long a start.
    await sleep(2)
    expect((await CLIENTS[name]!(headers)).trim()).toBe('hello')
    const [, refused, back, ...more] = visits.get(name) ?? []
    expect([refused?.status, back?.status, more]).toEqual([429, 200, []])
    expect(back!.at - refused!.at).toBeGreaterThanOrEqual(997)
  },
)
