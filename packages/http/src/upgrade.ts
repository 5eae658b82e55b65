import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Guard, type LimitedRequest, nodeResponder, runGuard } from '@tickbucket/core'

type Socket = Parameters<ServerResponse['assignSocket']>[0]

/**
 * Runs a guard on a request to upgrade, whose socket is nobody's: Node has left it, and no one behind
 * has taken it. `next` is called only if it may go on; a failure of a callback is `failed`'s to answer.
 */
export function runUpgrade(
  guard: Guard<IncomingMessage & LimitedRequest, ServerResponse>,
  req: IncomingMessage,
  socket: Duplex,
  next: () => void,
  failed: (error: unknown, res: ServerResponse) => void,
): void {
  const res = new ServerResponse(req)
  // Node writes to any stream here, whatever its types say; TLS sockets are what they say.
  res.assignSocket(socket as Socket)
  res.shouldKeepAlive = false
  // Without a listener, a client that resets its connection would end the process.
  socket.on('error', ignore)
  const lookAway = (): unknown =>
    socket.removeListener('readable', lookForEnd).removeListener('end', destroyEnded)
  res.once('finish', () => {
    lookAway()
    // What the client has sent meanwhile must not make its system throw the answer away.
    socket.resume()
    socket.end(() => socket.destroy())
  })
  let isDecided = false
  runGuard(guard, nodeResponder, req, res, (error) => {
    isDecided = true
    lookAway()
    if (error !== undefined) return failed(error, res)
    res.detachSocket(socket as Socket)
    // A socket that is destroyed may tell why a moment later.
    if (socket.destroyed) return undefined
    socket.removeListener('error', ignore)
    return next()
  })
  // A client that ends its side while it waits has gone.
  if (!isDecided && !res.writableEnded) socket.on('readable', lookForEnd).on('end', destroyEnded)
}

/** An end is told when all is read before it; what a client has sent is left for whoever takes the socket. */
function lookForEnd(this: Duplex): void {
  if (this.readableLength === 0) this.read()
}

function destroyEnded(this: Duplex): void {
  this.destroy()
}

function ignore(): void {}
