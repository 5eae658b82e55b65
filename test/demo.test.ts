import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ROOT } from './support.ts'

const SCRIPT = ['--conditions=@tickbucket/source', 'examples/balancer/demo.ts']

/** The demo as `pnpm demo` starts it, with everything that it says. */
async function demo(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ status: number; out: string; err: string }> {
  const child = spawn(process.execPath, [...SCRIPT, ...args], { cwd: ROOT, env: { ...process.env, ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  return { status, out, err }
}

test('the demo shows real 200s, real 429s and a Retry-After that is true, and ends', async () => {
  const { status, out, err } = await demo(['--once'], { PORT: '0' })
  expect([status, err]).toEqual([0, ''])
  const lines = out.split('\n').map((line) => line.trim())
  expect(lines.filter((line) => line.startsWith('HTTP/1.1'))).toEqual([
    ...Array.from({ length: 5 }, () => 'HTTP/1.1 200 OK'),
    ...Array.from({ length: 2 }, () => 'HTTP/1.1 429 Too Many Requests'),
    'HTTP/1.1 200 OK',
  ])
  expect(lines.filter((line) => line.startsWith('X-RateLimit-Remaining'))).toEqual(
    [4, 3, 2, 1, 0, 0, 0, 0].map((remaining) => `X-RateLimit-Remaining: ${remaining}`),
  )
  expect(lines.filter((line) => line.startsWith('Retry-After'))).toEqual(['Retry-After: 1', 'Retry-After: 1'])
})

test('a port in use, or one that is none, is one clear line and status 1', async () => {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(await demo([], { PORT: String(port) })).toEqual({
    status: 1,
    out: '',
    err: `Port ${port} is in use. Choose another one: PORT=${port + 1}\n`,
  })
  server.close()
  expect(await demo([], { PORT: 'http' })).toMatchObject({
    status: 1,
    err: "PORT must be a whole number from 0 to 65535, not 'http'.\n",
  })
})

test('it serves on until it is told to stop: the balancer, and its page on loopback alone', async () => {
  const env = { ...process.env, PORT: '0' }
  const child = spawn(process.execPath, SCRIPT, { cwd: ROOT, env })
  let out = ''
  for await (const chunk of child.stdout) {
    out += String(chunk)
    if (out.includes('Ctrl-C')) break
  }
  const [, url = ''] = /curl -i (\S+)/.exec(out) ?? []
  const [, page = ''] = /refill: +(\S+)/.exec(out) ?? []
  const served = await fetch(url, { headers: { 'x-forwarded-for': '192.0.2.200' } })
  expect([served.status, await served.text()]).toEqual([200, expect.stringMatching(/^Hello from \w+!\n$/)])
  expect(await (await fetch(page)).text()).toContain('<title>Tickbucket balancer</title>')
  await expect(fetch(page.replace('localhost', '127.0.0.2'))).rejects.toThrow('fetch failed')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
})

test('the page goes to a port of its own, and says so if it cannot be had', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(await demo(['--once'], { PORT: '0', ADMIN_PORT: String(port) })).toMatchObject({
    status: 1,
    err: `Port ${port} is in use. Choose another one: ADMIN_PORT=${port + 1}\n`,
  })
  server.close()
  expect(await demo(['--once'], { PORT: '0', ADMIN_PORT: '-1' })).toMatchObject({
    status: 1,
    err: "ADMIN_PORT must be a whole number from 0 to 65535, not '-1'.\n",
  })
})

test('what it does not know, and a Redis that is not there, are one clear line', async () => {
  expect(await demo(['--twice'], {})).toEqual({
    status: 2,
    out: '',
    err: 'The demo takes --once and --redis URL and nothing else, not --twice.\n',
  })
  expect(await demo(['--once', '--redis', 'redis://127.0.0.1:1'], { PORT: '0' })).toEqual({
    status: 1,
    out: '',
    err: 'No Redis at redis://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
  })
})
