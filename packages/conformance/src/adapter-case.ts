import { deepStrictEqual, strictEqual } from 'node:assert'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Decision, type GuardOptions, memoryStore } from '@tickbucket/core'
import { type Answer, ask, type Asked, type Place } from './ask.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

/** The options of an adapter whose callbacks look at a request only through the harness. */
export type AnyOptions = GuardOptions<unknown, unknown>

/** How an app is served. */
export interface ServeSpec {
  /** Whether over HTTP/2 without TLS, in place of HTTP/1.1. */
  readonly http2: boolean
  /** Where to listen; a free port of every loopback address when `undefined`. */
  readonly socketPath: string | undefined
}

/** The app that a case needs, in the framework's own terms. */
export interface AppSpec extends ServeSpec {
  /** The limiters, one after another, in front of every route. */
  readonly limiters: readonly AnyOptions[]
  /** Header fields that something in front of the limiters sets on every response. */
  readonly before: Readonly<Record<string, string>>
  /** Whether the app trusts `X-Forwarded-For` of the one proxy in front of it. */
  readonly trust: boolean
  /** Told of each request that reaches a handler, with what the handler finds as its decision. */
  readonly handled: (path: string, decision: Decision | undefined) => void
  /** Told of each error that reaches the framework's own error handling. */
  readonly failed: (error: unknown) => void
}

/**
 * What a suite gives to the cases: the adapter in an app on a real server. `/` and every path that is
 * not named here answers any method with 200 and `hello`, `/missing` with the framework's own 404,
 * `/throw` fails with an `Error('thrown')`, and `/echo` sends back the body. What fails is answered
 * with 500 and the error's message, by the framework's own way to handle errors. In front of the
 * limiters the response to `/begun` is begun, with `begun`, where that can be. The server hands what waits for `100 Continue` to the app like any other request.
 */
export interface AdapterHarness {
  serve(spec: AppSpec): Promise<{ readonly port: number; close(): Promise<void> }>
  /** A request header, from the `ctx` that a callback is given. */
  readonly header: (ctx: unknown, name: string) => string | undefined
  /** Answers with a status and a text, from what `onRefused` is given. */
  readonly answer: (ctx: unknown, response: unknown, status: number, text: string) => unknown
  /** Whether the framework has a trust-proxy setting. */
  readonly canTrust: boolean
  /** Whether the framework serves over HTTP/2. */
  readonly canHttp2: boolean
  /** Whether something in front of a limiter can begin a response, and then go on to it. */
  readonly canBegin: boolean
}

/** What a case asks of a framework beyond what every one has. */
export interface Needs {
  /** A trust-proxy setting. */
  readonly trust?: true
  /** To be served over HTTP/2. */
  readonly http2?: true
  /** Responses that something in front of a limiter begins. */
  readonly begin?: true
}

/** One thing that an adapter owes. Any runner can run it; it throws an assertion error if it does not hold. */
export interface AdapterCase {
  readonly name: string
  readonly needs: Needs
  run(harness: AdapterHarness): Promise<void>
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
  /** What reached the framework's error handling. */
  readonly failed: unknown[]
}

interface Setting {
  readonly limiters: readonly AnyOptions[]
  readonly before?: Readonly<Record<string, string>>
}

let sockets = 0

/**
 * A case from its name, the options of its limiters, and what is asked. Every limiter without a
 * store has one of its own at the case's clock, which starts at 0.
 */
export function adapterCase(
  name: string,
  setting: AnyOptions | ((site: Pick<Site, 'clock' | 'header' | 'answer'>) => AnyOptions | Setting),
  steps: (site: Site) => Promise<void>,
  { overUnixSocket, ...needs }: Needs & { readonly overUnixSocket?: true } = {},
): AdapterCase {
  return {
    name,
    needs,
    async run(harness) {
      const clock = manualClock()
      const { header, answer } = harness
      const asked = typeof setting === 'function' ? setting({ clock, header, answer }) : setting
      const { limiters, before = {} } = 'limiters' in asked ? asked : { limiters: [asked] }
      const handled: Site['handled'] = []
      const failed: unknown[] = []
      const socketPath = overUnixSocket
        ? join(tmpdir(), `tickbucket-${process.pid}-${(sockets += 1)}.sock`)
        : undefined
      const server = await harness.serve({
        limiters: limiters.map((options) =>
          options.limiter === undefined ? { store: memoryStore({ clock }), ...options } : options,
        ),
        before,
        trust: needs.trust === true,
        http2: needs.http2 === true,
        socketPath,
        handled: (path, decision) => handled.push({ path, decision }),
        failed: (error) => failed.push(error),
      })
      const { port } = server
      try {
        await steps({ ...asker({ port, socketPath }), clock, port, header, answer, handled, failed })
      } finally {
        await server.close()
      }
    },
  }
}

function asker(place: Place): Pick<Site, 'ask' | 'status' | 'counted'> {
  return {
    ask: (asked) => ask(place, asked),
    status: async (asked) => (await ask(place, asked)).status,
    async counted(asked) {
      const { status, headers } = await ask(place, asked)
      return [status, headers['x-ratelimit-remaining'] as string | undefined]
    },
  }
}

/** The problem body of a 429, to the byte. */
export function quotaBody(...policies: readonly string[]): string {
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
