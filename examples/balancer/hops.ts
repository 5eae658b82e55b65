import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'
import { clientKey } from '@tickbucket/core'

/** Whose word about the client counts: so many hops before this one, or those at these addresses. */
export type TrustedHops = number | readonly string[]

/** Who a request comes from, as far as trusted hops vouch for it. */
export interface Hops {
  /** The client first, then each trusted hop, the one at the other end of the socket last. */
  addressesOf(req: IncomingMessage): readonly string[]
  /** Whether the hop at the other end of the socket may speak for others. */
  trusts(req: IncomingMessage): boolean
  /** The key of the client's buckets. */
  keyOf(req: IncomingMessage): string
}

/**
 * Reads `X-Forwarded-For` from the right for as long as the hops are trusted, so that nobody else can
 * choose an address.
 *
 * @throws {TypeError} for a list that holds what is no address, range or name of one.
 * @example
 * trustedHops(1)                              // one balancer of one's own is in front, whatever its address
 * trustedHops(['loopback', '10.0.0.0/8'])
 */
export function trustedHops(hops: TrustedHops): Hops {
  if (typeof hops === 'number' && !(Number.isSafeInteger(hops) && hops >= 0)) {
    throw new TypeError(`The number of trusted hops must be a whole number from 0, not ${hops}.`)
  }
  const isTrusted =
    typeof hops === 'number'
      ? (_address: string, index: number): boolean => index < hops
      : proxyAddr.compile([...hops])
  // Asked for twice a request: to limit, and to tell the backend.
  const known = new WeakMap<IncomingMessage, readonly string[]>()
  function addressesOf(req: IncomingMessage): readonly string[] {
    let addresses = known.get(req)
    if (addresses === undefined) {
      addresses = proxyAddr.all(req, isTrusted).filter(Boolean).toReversed()
      known.set(req, addresses)
    }
    return addresses
  }
  return {
    addressesOf,
    trusts: ({ socket }) => isTrusted(socket.remoteAddress ?? '', 0),
    keyOf(req) {
      const [client = ''] = addressesOf(req)
      return clientKey(client, 56) ?? clientKey(req.socket.remoteAddress ?? '', 56) ?? 'no-address'
    },
  }
}
