import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/** A small real server to stand behind the balancer. It counts what reaches it. */
export interface BackendServer {
  readonly name: string
  readonly url: string
  /** Requests and upgrades that reached it, health checks aside. */
  count(): number
  /** Stops at once, and cuts off what is under way. */
  kill(): Promise<void>
  /** Serves again where it did. */
  revive(): Promise<void>
}

export interface BackendServerOptions {
  /** Sees each request before it is answered. */
  readonly onRequest?: (req: IncomingMessage) => void
}

/**
 * Serves a greeting for every path, `/echo` (the body comes back), `/login` (never the right password), and
 * echoes what comes over a WebSocket.
 */
export async function startBackend(
  name: string,
  { onRequest }: BackendServerOptions = {},
): Promise<BackendServer> {
  let count = 0
  const server = createServer((req, res) => {
    if (req.url === '/health') res.end('ok')
    else {
      count += 1
      onRequest?.(req)
      res.setHeader('x-backend', name)
      answer(name, req, res)
    }
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (req, socket, head) => {
    count += 1
    sockets.handleUpgrade(req, socket, head, (client) => {
      client.on('error', () => client.terminate())
      client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }))
    })
  })
  let port = 0
  async function listen(): Promise<void> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  }
  await listen()
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    async kill() {
      if (!server.listening) return
      for (const client of sockets.clients) client.terminate()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async revive() {
      if (!server.listening) await listen()
    },
  }
}

function answer(name: string, req: IncomingMessage, res: ServerResponse): void {
  if (req.url === '/echo') {
    req.pipe(res)
    return
  }
  req.resume()
  if (req.url === '/login') res.statusCode = 401
  res.setHeader('content-type', 'text/plain; charset=utf-8')
  res.end(req.url === '/login' ? 'Wrong password.\n' : `Hello from ${name}!\n`)
}
