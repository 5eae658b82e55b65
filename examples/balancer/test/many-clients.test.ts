import { Agent } from 'node:http'
import { tokenBucket } from '@tickbucket/core'
import { expect, onTestFinished, test } from 'vitest'
import { ask, reached, setup } from './support.ts'

test('10,000 clients behind a trusted hop each have their own limit, whatever the others do', async () => {
  const { backends, clock, port } = await setup({
    policies: [
      tokenBucket({ name: 'burst', capacity: 2, perSecond: 1 }),
      tokenBucket({ name: 'long-run', capacity: 3, perHour: 1 }),
    ],
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  onTestFinished(() => agent.destroy())
  const clients = Array.from({ length: 10_000 }, (_, index) => `10.${index >> 8}.${index & 255}.1`)
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await ask(port, { agent, headers, method: 'HEAD' })).status
  }
  const round = async (addresses: readonly string[]) => {
    const statuses: (number | undefined)[] = []
    for (let start = 0; start < addresses.length; start += 500) {
      statuses.push(...(await Promise.all(addresses.slice(start, start + 500).map(from))))
    }
    return statuses.filter((status) => status === 200).length
  }
  // Every eighth asks for more than it has; all of the others once.
  const greedy = clients.filter((_, index) => index % 8 === 0)
  expect(await round([...greedy, ...greedy, ...greedy])).toBe(2 * greedy.length)
  expect(await round(clients)).toBe(clients.length - greedy.length)
  clock.advance(5000)
  // The burst has come back; what the long run allows is one more.
  expect(await round([...greedy, ...greedy])).toBe(greedy.length)
  expect(reached(backends)).toBe(clients.length - greedy.length + 3 * greedy.length)
})
