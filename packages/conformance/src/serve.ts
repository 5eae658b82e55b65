import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { ServeSpec } from './adapter-case.ts'

/** Serves a listener of Node as a case wants it served; over HTTP/1.1 on a free port if nothing is said. */
export async function serve(
  listener: (req: IncomingMessage, res: ServerResponse) => unknown,
  { http2 = false, socketPath }: Partial<ServeSpec> = {},
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const onRequest: RequestListener = (req, res) => void listener(req, res)
  const server = http2
    ? createHttp2Server(onRequest as unknown as Parameters<typeof createHttp2Server>[0])
    : createServer({ maxHeaderSize: 32_768 }, onRequest)
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  if (socketPath === undefined) server.listen(0)
  else server.listen(socketPath)
  await once(server, 'listening')
  const address = server.address() as AddressInfo | string
  return {
    port: typeof address === 'string' ? 0 : address.port,
    async close() {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
