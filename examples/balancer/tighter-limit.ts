import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

const LIMIT = 'x-ratelimit-limit'
const REMAINING = 'x-ratelimit-remaining'

/**
 * Where backend and balancer both say what a client has left, the smaller number stays with its own limit:
 * it is the one that the client meets first. Drops the backend's from `answered` if that is the balancer's.
 */
export function keepTighterLimit(answered: IncomingHttpHeaders, own: ServerResponse): void {
  const theirs = answered[REMAINING]
  if (theirs === undefined) return
  const ours = own.getHeader(REMAINING)
  if (ours === undefined || Number(theirs) < Number(ours)) return
  delete answered[LIMIT]
  delete answered[REMAINING]
}
