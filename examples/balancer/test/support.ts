import { once } from 'node:events'
import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { memoryStore, type Policy, tokenBucket } from '@tickbucket/core'
import { manualClock, type ManualClock } from '@tickbucket/conformance'
import { onTestFinished } from 'vitest'
import { type BackendServer, type BackendServerOptions, startBackend } from '../backend.ts'
import { type Balancer, type BalancerOptions, createBalancer } from '../balancer.ts'

export interface Setup {
  readonly balancer: Balancer
  readonly backends: readonly BackendServer[]
  readonly clock: ManualClock
  readonly port: number
  readonly url: string
}

export interface SetupOptions
  extends Partial<Omit<BalancerOptions, 'backends' | 'limits'>>, BackendServerOptions {
  readonly policies?: readonly Policy[] | undefined
  readonly backends?: number
}

/** A balancer with backends, each on a port of its own, whose limits' clock stands still. All end with the test. */
export async function setup(options: SetupOptions = {}): Promise<Setup> {
  const {
    policies = [tokenBucket({ capacity: 1_000_000, perSecond: 1 })],
    backends: count = 3,
    onRequest = () => undefined,
    ...rest
  } = options
  const clock = manualClock()
  const backends = await Promise.all(
    Array.from({ length: count }, (_, index) => startBackend(`backend-${index}`, { onRequest })),
  )
  const balancer = createBalancer({
    trustedHops: ['loopback'],
    ...rest,
    backends,
    limits: { policies, createStore: () => memoryStore({ clock }) },
  })
  balancer.server.listen(0, '127.0.0.1')
  await once(balancer.server, 'listening')
  onTestFinished(async () => {
    await balancer.close(0)
    await Promise.all(backends.map((backend) => backend.kill()))
  })
  const { port } = balancer.server.address() as AddressInfo
  return { balancer, backends, clock, port, url: `http://127.0.0.1:${port}` }
}

/** How many requests reached a backend, over all of them. */
export function reached(backends: readonly BackendServer[]): number {
  return backends.reduce((sum, backend) => sum + backend.count(), 0)
}

/** Sends one request, with a body if there is one, and reads its whole answer. */
export async function ask(
  port: number,
  options: RequestOptions = {},
  body?: string | Buffer,
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }> {
  const req = request({ host: '127.0.0.1', port, agent: false, ...options })
  req.end(body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  return { status: res.statusCode, headers: res.headers, body: await text(res) }
}

/** Waits until something holds that other processes or sockets bring about. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Everything that comes over a socket until it closes. */
export async function everythingFrom(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}
