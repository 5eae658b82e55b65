import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { tokenBucket } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { setupPage } from './page-support.ts'
import { ask } from './support.ts'

const POLICIES = [tokenBucket({ name: 'burst', capacity: 2, perHour: 1 })]
const NEW_LIMITS = JSON.stringify({ policies: [{ name: 'burst', capacity: 3, perMinute: 60 }] })

test('limits change while requests come: buckets start anew, under the same name', async () => {
  const { page, pagePort, port, clock } = await setupPage({ policies: POLICIES })
  const remaining = async () => (await ask(port)).headers['x-ratelimit-remaining']
  expect([await remaining(), await remaining(), (await ask(port)).status]).toEqual(['1', '0', 429])
  const headers = { origin: page, host: new URL(page).host, 'content-type': 'application/json' }
  const answer = await ask(pagePort, { method: 'POST', path: '/limits', headers }, NEW_LIMITS)
  expect(answer.status).toBe(200)
  expect([await remaining(), await remaining(), await remaining(), (await ask(port)).status]).toEqual([
    '2',
    '1',
    '0',
    429,
  ])
  clock.advance(1000)
  expect((await ask(port)).status).toBe(200)
})

test.each([
  [{ policies: [{ name: 'burst', capacity: 0, perMinute: 60 }] }, 'capacity'],
  [{ policies: [{ name: 'burst', capacity: 2.5, perMinute: 60 }] }, 'capacity'],
  [{ policies: [{ name: 'burst', capacity: '3', perMinute: 60 }] }, 'capacity'],
  [{ policies: [{ name: 'burst', capacity: 3, perMinute: -1 }] }, 'perMinute'],
  [{ policies: [{ name: 'burst', capacity: 1e15, perDay: 1 }] }, 'capacity'],
  [{ policies: [{ name: 'burst', capacity: 3, perMinutes: 60 }] }, 'perMinutes'],
  [{ policies: [null] }, 'tokenBucket()'],
  [{ policies: [] }, 'policies'],
  [{ policies: {} }, 'policies'],
  [[], 'policies'],
])('limits %j are refused by name of %s, and nothing changes', async (limits, option) => {
  const { balancer, page, pagePort } = await setupPage({ policies: POLICIES })
  const headers = { origin: page, host: new URL(page).host, 'content-type': 'application/json' }
  const before = balancer.limits?.limiter
  const answer = await ask(pagePort, { method: 'POST', path: '/limits', headers }, JSON.stringify(limits))
  expect([answer.status, (JSON.parse(answer.body) as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(option),
  ])
  expect(balancer.limits?.limiter).toBe(before)
})

test('another site, a rebound name and a form get nothing done', async () => {
  const { balancer, page, pagePort } = await setupPage({ policies: POLICIES })
  const before = balancer.limits?.limiter
  const own = { origin: page, host: new URL(page).host, 'content-type': 'application/json' }
  const foreign = [
    { ...own, origin: 'http://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: page.replace('http:', 'https:') },
    { host: own.host, 'content-type': own['content-type'] },
    { ...own, origin: 'http://evil.example', host: 'evil.example' },
    {
      ...own,
      origin: `http://localhost.evil.example:${pagePort}`,
      host: `localhost.evil.example:${pagePort}`,
    },
    { ...own, 'content-type': 'text/plain' },
  ]
  for (const headers of foreign) {
    for (const path of ['/limits', '/traffic/burst']) {
      expect([headers, (await ask(pagePort, { method: 'POST', path, headers }, NEW_LIMITS)).status]).toEqual([
        headers,
        403,
      ])
    }
  }
  expect((await ask(pagePort, { path: '/events', headers: { host: 'evil.example' } })).status).toBe(403)
  expect(balancer.limits?.limiter).toBe(before)
})

test('what is no JSON, too long or unknown is a clear answer and no crash', async () => {
  const { page, pagePort } = await setupPage({ policies: POLICIES })
  const headers = { origin: page, host: new URL(page).host, 'content-type': 'application/json' }
  const post = (path: string, body: string) => ask(pagePort, { method: 'POST', path, headers }, body)
  expect((await post('/limits', '{')).status).toBe(400)
  expect((await post('/limits', `"${'x'.repeat(5000)}"`)).status).toBe(413)
  expect((await post('/traffic/constructor', '{}')).status).toBe(404)
  expect((await ask(pagePort, { path: '/../demo.ts', headers: { host: 'localhost' } })).status).toBe(404)
})

test('every file of the page forbids what is not its own', async () => {
  const { pagePort } = await setupPage()
  for (const path of ['/', '/app.js', '/style.css', '/uplot/uPlot.esm.js', '/nothing']) {
    const { headers } = await ask(pagePort, { path, headers: { host: 'localhost' } })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
})

test('the feed says who came, what buckets hold, and what became of each second', async () => {
  const { pagePort, port } = await setupPage({ policies: POLICIES })
  for (let count = 0; count < 3; count += 1) await ask(port, { headers: { 'x-forwarded-for': '192.0.2.1' } })
  const req = request({ host: '127.0.0.1', port: pagePort, path: '/events', headers: { host: 'localhost' } })
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  const [data] = (await once(res, 'data')) as [Buffer]
  req.destroy()
  const snapshot = JSON.parse(data.toString().replace(/^data: /, '')) as Record<string, unknown>
  expect(snapshot).toMatchObject({
    policies: POLICIES,
    clientCount: 1,
    clients: [{ key: '192.0.2.1', sender: 'visitor', allowed: 2, refused: 1, ticks: [0] }],
  })
  const seconds = snapshot['seconds'] as { allowed: number; refused: number }[]
  const sum = (name: 'allowed' | 'refused') => seconds.reduce((total, counts) => total + counts[name], 0)
  expect([sum('allowed'), sum('refused')]).toEqual([2, 1])
})
