import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './support.ts'

/** Starts an example's server as `pnpm --filter ./examples/NAME start` does. */
function start(name: string, port: number): ReturnType<typeof spawn> {
  return spawn(process.execPath, ['--conditions=@tickbucket/source', 'server.ts'], {
    cwd: join(ROOT, 'examples', name),
    env: { ...process.env, PORT: String(port) },
  })
}

test.each(['express', 'fastify', 'koa', 'hono', 'http'])(
  'the %s example says hello, echoes, and refuses the fourth',
  async (name) => {
    const child = start(name, 0)
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    const [url = ''] = /http:\/\/localhost:\d+/.exec(line.toString()) ?? []
    const hello = await fetch(`${url}/`)
    expect([hello.status, await hello.text(), hello.headers.get('x-ratelimit-remaining')]).toEqual([
      200,
      'Hello!\n',
      '2',
    ])
    const echo = await fetch(`${url}/echo`, {
      method: 'POST',
      body: 'what?',
      headers: { 'content-type': 'text/plain' },
    })
    expect([echo.status, await echo.text()]).toEqual([200, 'what?'])
    await fetch(`${url}/`)
    const refused = await fetch(`${url}/`)
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('content-type')]).toEqual(
      [429, '1', 'application/problem+json'],
    )
    child.kill()
    await once(child, 'close')
  },
)

test.each(['express', 'fastify', 'koa', 'hono', 'http'])(
  'the %s example says in one line that its port is in use',
  async (name) => {
    const server = createServer().listen(0, '::')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const child = start(name, port)
    let err = ''
    child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(err).toBe(`Port ${port} is in use. Choose another one: PORT=${port + 1}\n`)
    server.close()
  },
)
