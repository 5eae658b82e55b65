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
