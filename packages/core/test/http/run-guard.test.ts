import { EventEmitter } from 'node:events'
import { ServerResponse, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import {
  createGuard,
  type GuardOptions,
  type LimitedRequest,
  nodeResponder,
  type NodeResponse,
  runGuard,
} from '@tickbucket/core'
import { expect, test } from 'vitest'
import { oneClient } from '../support/one-client.ts'

/** A response that takes nothing but text, as some runtimes do, and remembers what it was told. */
class StrictResponse extends EventEmitter implements NodeResponse {
  readonly told: string[] = []
  readonly #fields = new Map<string, string>()
  headersSent = false
  writableEnded = false
  statusCode = 200

  getHeader(name: string): string | undefined {
    return this.#fields.get(name.toLowerCase())
  }
  setHeader(name: string, value: string): void {
    if (this.headersSent) throw new Error('headers are sent')
    if (typeof value !== 'string') throw new TypeError(`${name} is ${typeof value}`)
    this.#fields.set(name.toLowerCase(), value)
    this.told.push(`${name}: ${value}`)
  }
  removeHeader(name: string): void {
    if (this.headersSent) throw new Error('headers are sent')
    this.#fields.delete(name.toLowerCase())
  }
  end(body: string): void {
    this.writableEnded = true
    this.told.push(`${this.statusCode} ${typeof body}`)
  }
  destroy(): void {
    this.told.push('destroyed')
  }
}

/** Runs one limiter on so many requests, and tells what each response and each `next` was told. */
async function run(
  options: GuardOptions<LimitedRequest, StrictResponse>,
  responses: readonly StrictResponse[],
): Promise<{ told: readonly string[]; nexts: unknown[]; req: LimitedRequest }[]> {
  const guard = createGuard<LimitedRequest, StrictResponse>(options, oneClient)
  return Promise.all(
    responses.map(async (res) => {
      const req: LimitedRequest = {}
      const nexts: unknown[] = []
      runGuard(guard, nodeResponder, req, res, (...args) => nexts.push(args))
      await new Promise(setImmediate)
      return { told: res.told, nexts, req }
    }),
  )
}

const every = { rateLimitHeaders: 'draft-11', resetHeader: 'epoch' } as const

test('C08 every value that a response is told is text', async () => {
  const [passed, refused] = await run({ capacity: 1, perHour: 1, ...every }, [
    new StrictResponse(),
    new StrictResponse(),
  ])
  expect(passed!.told.map((line) => line.replace(/: .*/, ''))).toEqual([
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit-Policy',
    'RateLimit',
  ])
  expect(passed!.nexts).toEqual([[]])
  expect(refused!.told.at(-1)).toBe('429 string')
  expect(refused!.nexts).toEqual([])
})

test('a response under way is told nothing: let through it goes on, refused it is cut off, unless it is whole', async () => {
  const [first, second, third] = [new StrictResponse(), new StrictResponse(), new StrictResponse()]
  first.headersSent = second.headersSent = third.headersSent = third.writableEnded = true
  const [passed, refused, whole] = await run({ capacity: 1, perHour: 1, ...every }, [first, second, third])
  expect([passed!.told, passed!.nexts, passed!.req.rateLimit?.allowed]).toEqual([[], [[]], true])
  expect([refused!.told, refused!.nexts, refused!.req.rateLimit?.allowed]).toEqual([['destroyed'], [], false])
  expect([whole!.told, whole!.nexts]).toEqual([[], []])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('no key')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no key'))],
])('H13 next is called once when a callback %s', async (_how, key) => {
  const [seen] = await run({ key }, [new StrictResponse()])
  expect([seen!.nexts, seen!.told]).toEqual([[[new Error('no key')]], []])
})

test('H13 what the handler behind throws is not the limiter’s to catch', () => {
  const guard = createGuard<LimitedRequest, StrictResponse>({}, oneClient)
  const calls: unknown[] = []
  const next = (error?: unknown): void => {
    calls.push(error)
    throw new Error('the handler')
  }
  expect(() => runGuard(guard, nodeResponder, {}, new StrictResponse(), next)).toThrow('the handler')
  expect(calls).toEqual([undefined])
})

test('Node’s own response is one that can be told', () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()))
  const guard = createGuard<LimitedRequest, ServerResponse>({ capacity: 5, perMinute: 1 }, oneClient)
  runGuard(guard, nodeResponder, {}, res, () => undefined)
  expect(res.getHeaders()).toEqual({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' })
})
