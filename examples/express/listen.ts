import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Serves on the port that `PORT` names, 8080 if it names none. A port that cannot be had ends the
 * process with one line that says why.
 */
export async function listen(handler: RequestListener): Promise<{ server: Server; url: string }> {
  const port = portFrom(process.env['PORT'])
  const server = createServer(handler)
  server.listen(port)
  await new Promise<void>((resolve) => {
    server.once('listening', resolve)
    server.once('error', (error: NodeJS.ErrnoException) => {
      giveUp(
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use. Choose another one: PORT=${port === 65_535 ? 8080 : port + 1}`
          : `Cannot listen on port ${port}: ${error.message}`,
      )
    })
  })
  return { server, url: `http://localhost:${(server.address() as AddressInfo).port}` }
}

function portFrom(text = '8080'): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  return giveUp(`PORT must be a whole number from 0 to 65535, not '${text}'.`)
}

function giveUp(why: string): never {
  console.error(why)
  process.exit(1)
}
