import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** A request as a case asks it: a GET of `/` unless it says otherwise. */
export interface Asked {
  readonly method?: string
  readonly path?: string
  /** A list of values is as many lines. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Which of the loopback addresses the request comes from. */
  readonly from?: string
  readonly body?: Buffer
  readonly agent?: Agent
}

export interface Answer {
  readonly status: number
  readonly statusMessage: string
  readonly headers: IncomingHttpHeaders
  /** Names and values as they came, by lower-case name: how often each field stands there. */
  readonly lines: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Where a server listens: a port of the loopback addresses, or a Unix socket. */
export interface Place {
  readonly port: number
  readonly socketPath: string | undefined
}

/** Asks over HTTP/1.1, on a connection of its own unless `agent` keeps one. */
export function ask(
  { port, socketPath }: Place,
  { method = 'GET', path = '/', headers = {}, from, body, agent = new Agent() }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const where = socketPath === undefined ? { port, host: '127.0.0.1', localAddress: from } : { socketPath }
    const sent = request({ ...where, method, path, agent, headers }, (response) => {
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
