import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Guard, type LimitedRequest, nodeResponder, runGuard } from '@tickbucket/core'

type Socket = Parameters<ServerResponse['assignSocket']>[0]

/** Runs a guard on a request to upgrade, whose socket is nobody's: Node has left it, and no one behind has taken it. */
export function runUpgrade(
  guard: Guard<IncomingMessage & LimitedRequest, ServerResponse>,
  req: IncomingMessage,
  socket: Duplex,
  next: (error?: unknown) => void,
): void {
  const res = new ServerResponse(req)
  // Node writes to any stream here, whatever its types say; TLS sockets are what they say.
  res.assignSocket(socket as Socket)
  res.shouldKeepAlive = false
  // Without a listener, a client that resets its connection would end the process.
  socket.on('error', ignore)
  res.once('finish', () => {
    // What the client has sent meanwhile must not make its system throw the answer away.
    socket.resume()
    socket.end(() => socket.destroy())
  })
  runGuard(guard, nodeResponder, req, res, (error) => {
    res.detachSocket(socket as Socket)
    // A socket that is destroyed may tell why a moment later.
    if (!socket.destroyed) socket.removeListener('error', ignore)
    if (!socket.destroyed || error !== undefined) next(error)
  })
}

function ignore(): void {}
