import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { findRedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()
const EXAMPLE = join(import.meta.dirname, '../../../examples/redis')

describe.skipIf(command === undefined)('the example', () => {
  const stops: (() => unknown)[] = []
  afterAll(() => Promise.all(stops.map((stop) => stop())))

  test('J01 two processes admit one limit, and each its half when Redis is gone', async () => {
    const server = await startRedis(command!)
    stops.push(() => server.kill())
    const child = spawn(process.execPath, ['--conditions=@tickbucket/source', 'start.ts'], {
      cwd: EXAMPLE,
      env: { ...process.env, PORT: '0', REDIS_PORT: String(server.port) },
    })
    stops.push(() => child.kill())
    let out = ''
    for await (const chunk of child.stdout) {
      out += String(chunk)
      if (out.includes('they count as one')) break
    }
    const urls = out.match(/http:\/\/localhost:\d+/g) ?? []
    expect(urls).toHaveLength(2)
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) statuses.push((await fetch(urls[count % 2]!)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
    await server.kill()
    // A refusal is repeated without Redis for as long as it is certain: a second, until the next token.
    await sleep(1100)
    const without = await Promise.all(
      urls.map(async (url) => [(await fetch(url)).status, (await fetch(url)).status]),
    )
    // A capacity of 3 is one and a half for each, of which one is whole.
    expect(without).toEqual([
      [200, 429],
      [200, 429],
    ])
  })

  test('without any Redis it says how to get one', async () => {
    const child = spawn(process.execPath, ['--conditions=@tickbucket/source', 'start.ts'], {
      cwd: EXAMPLE,
      env: { PATH: '/nowhere' },
    })
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(err).toMatch(/^No redis-server or valkey-server on the path\. Install one/)
  })
})
