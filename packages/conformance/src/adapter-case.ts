import { deepStrictEqual, strictEqual } from 'node:assert'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { type Decision, type GuardOptions, memoryStore } from '@tickbucket/core'
import { type ManualClock, manualClock } from './manual-clock.ts'

/** The options of an adapter whose callbacks look at a request only through the harness. */
export type AnyOptions = GuardOptions<unknown, unknown>

/** The app that a case needs, in the framework's own terms. */
export interface AppSpec {
  /** The limiters, one after another, in front of every route. */
  readonly limiters: readonly AnyOptions[]
  /** Header fields that something in front of the limiters sets on every response. */
  readonly before: Readonly<Record<string, string>>
  /** Whether the app trusts `X-Forwarded-For` of the one proxy in front of it. */
  readonly trust: boolean
  /** Told of each request that reaches a handler, with what the handler finds as its decision. */
  readonly handled: (path: string, decision: Decision | undefined) => void
}

/**
 * What a suite gives to the cases: the adapter in an app on a real server. `/` and every path that is
 * not named here answers any method with 200 and `hello`, `/missing` with the framework's own 404,
 * `/throw` fails with an `Error('thrown')`, and `/echo` sends back the body. What fails is answered
 * with 500 and the error's message, by the framework's own way to handle errors.
 */
export interface AdapterHarness {
  serve(spec: AppSpec): Promise<{ readonly port: number; close(): Promise<void> }>
  /** A request header, from the `ctx` that a callback is given. */
  readonly header: (ctx: unknown, name: string) => string | undefined
  /** Answers with a status and a text, from what `onRefused` is given. */
  readonly answer: (ctx: unknown, response: unknown, status: number, text: string) => unknown
  /** Whether the framework has a trust-proxy setting. */
  readonly canTrust: boolean
}

/** One thing that an adapter owes. Any runner can run it; it throws an assertion error if it does not hold. */
export interface AdapterCase {
  readonly name: string
  /** Whether it is about whom the framework's trust-proxy setting names. */
  readonly needsTrust?: boolean
  run(harness: AdapterHarness): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly statusMessage: string
  readonly headers: IncomingHttpHeaders
  /** Names and values as they came, by lower-case name: how often each field stands there. */
  readonly lines: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Which of the loopback addresses the request comes from. */
  readonly from?: string
  readonly body?: Buffer
  readonly agent?: Agent
}

/** An app that serves, and who asks it. */
export interface Site {
  readonly clock: ManualClock
  readonly port: number
  readonly ask: (asked?: Asked) => Promise<Answer>
  /** Asks, and gives the status alone. */
  readonly status: (asked?: Asked) => Promise<number>
  /** Asks, and gives `[status, X-RateLimit-Remaining]`. */
  readonly counted: (asked?: Asked) => Promise<[number, string | undefined]>
  readonly header: AdapterHarness['header']
  readonly answer: AdapterHarness['answer']
  /** What reached handlers, in order. */
  readonly handled: { readonly path: string; readonly decision: Decision | undefined }[]
}

interface Setting {
  readonly limiters: readonly AnyOptions[]
  readonly before?: Readonly<Record<string, string>>
}

/**
 * A case from its name, the options of its limiters, and what is asked. Every limiter without a
 * store has one of its own at the case's clock, which starts at 0.
 */
export function adapterCase(
  name: string,
  setting: AnyOptions | ((site: Pick<Site, 'clock' | 'header' | 'answer'>) => AnyOptions | Setting),
  steps: (site: Site) => Promise<void>,
  needsTrust = false,
): AdapterCase {
  return {
    name,
    needsTrust,
    async run(harness) {
      const clock = manualClock()
      const { header, answer } = harness
      const asked = typeof setting === 'function' ? setting({ clock, header, answer }) : setting
      const { limiters, before = {} } = 'limiters' in asked ? asked : { limiters: [asked] }
      const handled: Site['handled'] = []
      const server = await harness.serve({
        limiters: limiters.map((options) =>
          options.limiter === undefined ? { store: memoryStore({ clock }), ...options } : options,
        ),
        before,
        trust: needsTrust,
        handled: (path, decision) => handled.push({ path, decision }),
      })
      const ask = (options: Asked = {}): Promise<Answer> => send(server.port, options)
      const site: Site = {
        clock,
        port: server.port,
        ask,
        status: async (options) => (await ask(options)).status,
        counted: async (options) => {
          const { status, headers } = await ask(options)
          return [status, headers['x-ratelimit-remaining'] as string | undefined]
        },
        header,
        answer,
        handled,
      }
      try {
        await steps(site)
      } finally {
        await server.close()
      }
    },
  }
}

function send(
  port: number,
  { method = 'GET', path = '/', headers = {}, from, body, agent = new Agent() }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path, agent, headers, localAddress: from }
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString())))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function answerOf(
  { statusCode = 0, statusMessage = '', headers, rawHeaders }: IncomingMessage,
  body: string,
): Answer {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  )
  return { status: statusCode, statusMessage, headers, lines, body }
}

/** The problem body of a 429, to the byte. */
function quotaBody(...policies: readonly string[]): string {
  return `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,"violated-policies":${JSON.stringify(policies)}}`
}

/** A response that was let through: its tokens left, and no word of waiting. */
export function isAllowed({ status, headers }: Answer, left: number, draft?: string): void {
  const seen = [status, headers['x-ratelimit-remaining'], headers['retry-after'], headers['ratelimit']]
  deepStrictEqual(seen, [200, String(left), undefined, draft])
}

/** A refusal, whole: its fields, each once, and its body. */
export function isRefused(
  answer: Answer,
  retryAfter: number,
  left = 0,
  policies: readonly string[] = ['default'],
): void {
  const { status, statusMessage, headers, lines, body } = answer
  deepStrictEqual([status, statusMessage, body], [429, 'Too Many Requests', quotaBody(...policies)])
  deepStrictEqual(
    lines.filter(([name]) => name === 'retry-after'),
    [['retry-after', String(retryAfter)]],
  )
  strictEqual(headers['x-ratelimit-remaining'], String(left))
  strictEqual(headers['cache-control'], 'no-store')
  strictEqual(headers['content-type'], 'application/problem+json')
  strictEqual(headers['content-length'], String(body.length))
  for (const name of ['etag', 'last-modified', 'expires']) strictEqual(headers[name], undefined, name)
}

/** The `RateLimit` member of the default policy. */
export function state(left: number, seconds: number): string {
  return `"default";r=${left};t=${seconds}`
}
