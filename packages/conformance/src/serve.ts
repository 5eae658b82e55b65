import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves a listener of Node on a free port of every loopback address, for an adapter's harness. */
export async function serve(
  listener: (req: IncomingMessage, res: ServerResponse) => unknown,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer({ maxHeaderSize: 32_768 }, (req, res) => void listener(req, res))
  server.listen(0)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
