import type { RequestHandler } from 'express'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/**
 * Keeps other sites out: a name that was rebound to this machine is not one of its own, and whatever
 * changes something must come from the page itself, as JSON.
 */
export const sameOrigin: RequestHandler = (req, res, next) => {
  const host = req.headers.host ?? ''
  if (!LOOPBACK.test(host)) return refuse(res, 'This page is served to localhost only.')
  if (req.method === 'GET' || req.method === 'HEAD') return next()
  if (req.headers.origin !== `http://${host}`) {
    return refuse(res, 'Only the page itself may change something.')
  }
  if (req.is('application/json') === false) return refuse(res, 'Send JSON.')
  next()
}

function refuse(res: Parameters<RequestHandler>[1], message: string): void {
  res.status(403).json({ message })
}
