import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Runs the server of four workers, sends it requests, and says how they were answered. */
async function statusesOf(requests: number): Promise<number[]> {
  const cluster = fork(join(import.meta.dirname, 'workers-server.ts'), {
    execArgv: ['--conditions=@tickbucket/source'],
  })
  const [port] = (await once(cluster, 'message')) as [number]
  const statuses: number[] = []
  for (let count = 0; count < requests; count += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  cluster.kill()
  await once(cluster, 'exit')
  return statuses
}

test('J01 four workers with memory stores admit four limits, as the README says', async () => {
  const statuses = await statusesOf(100)
  expect(statuses.filter((status) => status === 200)).toHaveLength(40)
  expect(statuses.filter((status) => status === 429)).toHaveLength(60)
})

test('J04 a restart forgets what was kept in memory, as the README says', async () => {
  expect(await statusesOf(1)).toEqual([200])
  expect(await statusesOf(1)).toEqual([200])
})
