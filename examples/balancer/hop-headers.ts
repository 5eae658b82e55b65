import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Hops } from './hops.ts'

/**
 * Fields that belong to one connection: RFC 9110, section 7.6.1. `Transfer-Encoding` is missing, since Node
 * and the proxy library frame bodies by it.
 */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
]

/** What a `Connection` field may not take away: without these a message would be read otherwise. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'host'])

const SAYS_WHO = /^(forwarded|x-forwarded-.*|x-real-ip)$/

/** Drops the fields of one connection, and those that its `Connection` field names. */
export function dropHopByHop(headers: IncomingHttpHeaders): void {
  const named = headers.connection?.toLowerCase().split(',') ?? []
  for (const name of named.map((text) => text.trim())) if (!FRAMING.has(name)) delete headers[name]
  for (const name of HOP_BY_HOP) delete headers[name]
}

/** The scheme and authority of a target in absolute form, as a client sends it to a proxy. */
const ORIGIN = /^https?:\/\/([^/?]*)/i

/**
 * Makes a request's head that of the next hop: its target a path (RFC 9112, section 3.2.2), its fields those
 * that go on, and who the client is as far as somebody vouches for it.
 */
export function prepareToForward(req: IncomingMessage, hops: Hops): void {
  const [origin, authority] = ORIGIN.exec(req.url ?? '') ?? []
  if (origin !== undefined) {
    req.url = req.url?.slice(origin.length)
    req.headers.host = authority
  }
  // Before anything is dropped: a client may name even this field in its `Connection`.
  const addresses = hops.addressesOf(req)
  dropHopByHop(req.headers)
  if (!hops.trusts(req)) {
    for (const name of Object.keys(req.headers)) if (SAYS_WHO.test(name)) delete req.headers[name]
  }
  req.headers['x-forwarded-for'] = addresses.join(', ')
}
