import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixedWindow, leakyBucket, type Policy, slidingWindow, tokenBucket } from '@tickbucket/core'
import { limited } from '@tickbucket/http'
import { expect, test } from 'vitest'
import { findNginx } from './find-nginx.ts'
import { read } from './support.ts'

/** Lines of nginx, and the policies that are to do the same. */
interface Pair {
  readonly name: string
  readonly zones: string
  readonly limits: string
  readonly policies: readonly Policy[]
}

const PAIRS: readonly Pair[] = [
  ...read('docs/from-nginx.md').matchAll(
    /```nginx\n([^]*?)```\n+```ts\n[^]*?export const policies = ([^]*?)```/g,
  ),
].map(([, lines = '', policies = '']) => {
  const all = lines.trim().split('\n')
  return {
    name: all.filter((line) => line.startsWith('limit_req ')).join(' '),
    zones: all.filter((line) => line.startsWith('limit_req_zone ')).join('\n'),
    limits: all.filter((line) => line.startsWith('limit_req ')).join('\n'),
    policies: policiesOf(policies),
  }
})

/** Runs an expression of the page, in which the makers are known. */
function policiesOf(expression: string): readonly Policy[] {
  const makers = { tokenBucket, leakyBucket, slidingWindow, fixedWindow }
  // eslint-disable-next-line typescript/no-implied-eval -- the page is ours, and it is the page that is tested
  return new Function(...Object.keys(makers), `return ${expression}`)(...Object.values(makers)) as Policy[]
}

/**
 * When so many requests are sent at once. The later times lie half way between two tokens of the page's
 * quicker rate, and farther from those of the slower one: being late by less than a quarter of a second
 * changes no answer.
 */
const WAVES = [
  { atMs: 0, count: 7 },
  { atMs: 1250, count: 3 },
  { atMs: 2750, count: 3 },
] as const

type Outcome = 'PASSED' | 'DELAYED' | 'REJECTED'
interface Seen {
  readonly status: number
  readonly outcome: Outcome
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function configOf(port: number): string {
  const locations = PAIRS.map(
    ({ limits }, index) => `location = /${index} { ${limits}\n try_files /ok =500; }`,
  )
  return `
worker_processes 1;
daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
  ${PAIRS.map(({ zones }) => zones).join('\n  ')}
  limit_req_status 429;
  server {
    listen 127.0.0.1:${port} backlog=511;
    root .;
    add_header X-Outcome $limit_req_status always;
    ${locations.join('\n    ')}
  }
}`
}

async function startNginx(command: string): Promise<{ port: number; stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'tickbucket-nginx-'))
  mkdirSync(join(home, 'tmp'))
  writeFileSync(join(home, 'ok'), 'hello')
  const port = await freePort()
  writeFileSync(join(home, 'nginx.conf'), configOf(port))
  const child = spawn(command, ['-p', home, '-c', 'nginx.conf', '-e', join(home, 'error.log')], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries === 200 || child.exitCode !== null)
      throw new Error(`nginx did not start: ${readFileSync(join(home, 'error.log'), 'utf8')}`)
    await sleep(25)
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Our own server: the same paths, each behind its own policies, with the same header to tell what was decided. */
async function startOurs(): Promise<{ port: number; stop(): Promise<void> }> {
  const handlers = PAIRS.map(({ policies }) =>
    limited(
      {
        policies,
        onRefused(_req, _decision, res) {
          res.setHeader('x-outcome', 'REJECTED')
          res.end()
        },
      },
      (req, res) => {
        const { rateLimit } = req as IncomingMessage & { rateLimit?: { delayMs: number } }
        res.setHeader('x-outcome', rateLimit!.delayMs > 0 ? 'DELAYED' : 'PASSED')
        res.end('hello')
      },
    ),
  )
  const server = createServer((req, res) => handlers[Number(req.url!.slice(1))]!(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const agent = new Agent({ keepAlive: false })

async function ask(port: number, path: string): Promise<Seen> {
  const request = get({ port, host: '127.0.0.1', path, agent })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'close')
  return { status: response.statusCode!, outcome: response.headers['x-outcome'] as Outcome }
}

/** What each wave of requests met with, sorted: which of several equal requests is first is chance. */
async function waves(port: number, path: string): Promise<string[][]> {
  const start = performance.now()
  return Promise.all(
    WAVES.map(async ({ atMs, count }) => {
      await sleep(Math.max(0, start + atMs - performance.now()))
      const seen = await Promise.all(Array.from({ length: count }, () => ask(port, path)))
      return seen.map(({ status, outcome }) => `${status} ${outcome}`).toSorted((a, b) => (a < b ? -1 : 1))
    }),
  )
}

const command = findNginx()
if (command === undefined) {
  const missing =
    'There is no nginx, and none can be fetched: the pairs of docs/from-nginx.md were not compared with it.'
  if (process.env['CI'] !== undefined) throw new Error(missing)
  process.stderr.write(`\n${missing}\n\n`)
}

test('the page has a pair for each thing that a line of nginx can say', () => {
  expect(PAIRS.map(({ name }) => name)).toEqual([
    'limit_req zone=alone;',
    'limit_req zone=burst burst=3;',
    'limit_req zone=nodelay burst=3 nodelay;',
    'limit_req zone=bucket burst=3 nodelay;',
    'limit_req zone=delay burst=4 delay=2;',
    'limit_req zone=minute burst=2 nodelay;',
    'limit_req zone=slow burst=4 nodelay; limit_req zone=quick burst=2;',
  ])
})

test.runIf(command !== undefined)(
  'every pair lets through, delays and refuses the same requests',
  async () => {
    const nginx = await startNginx(command!)
    const ours = await startOurs()
    try {
      const answered = await Promise.all(
        PAIRS.map(async ({ name }, index) => {
          const [theirs, own] = await Promise.all([
            waves(nginx.port, `/${index}`),
            waves(ours.port, `/${index}`),
          ])
          return { name, theirs, own }
        }),
      )
      for (const { name, theirs, own } of answered) expect(own, name).toEqual(theirs)
      const outcomes = new Set(answered.flatMap(({ theirs }) => theirs.flat()))
      expect([...outcomes].toSorted()).toEqual(['200 DELAYED', '200 PASSED', '429 REJECTED'])
    } finally {
      await nginx.stop()
      await ours.stop()
    }
  },
)
