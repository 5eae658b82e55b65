import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'

const SHOWN = /^(x-ratelimit-|ratelimit|retry-after)/i

/**
 * Sends one GET and prints its status line and rate-limit headers as they came over the wire.
 * Gives the seconds of its `Retry-After`, if it has one.
 */
export async function send(url: string): Promise<number | undefined> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  response.resume()
  console.log(`  HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`)
  const { rawHeaders } = response
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (SHOWN.test(rawHeaders[index] ?? '')) console.log(`  ${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  console.log()
  await once(response, 'close')
  const retryAfter = response.headers['retry-after']
  return retryAfter === undefined ? undefined : Number(retryAfter)
}
