import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Serves on the port that `PORT` names, 8080 if it names none. A port that cannot be had ends the
 * process with one line that says why.
 */
export async function listen(
  handler: (req: IncomingMessage, res: ServerResponse) => unknown,
): Promise<{ server: Server; url: string }> {
  const server = createServer((req, res) => void handler(req, res))
  return { server, url: await listenOn(server, portFromEnv()) }
}

/** The same for a server that is there already. Gives its address. */
export async function listenOn(
  server: Server,
  port: number,
  { host, variable = 'PORT' }: { host?: string; variable?: string } = {},
): Promise<string> {
  server.listen(port, host)
  await new Promise<void>((resolve) => {
    server.once('listening', resolve)
    server.once('error', (error) => giveUp(error, port, variable))
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** The port that a variable names, 8080 if it names none. */
export function portFromEnv(variable = 'PORT', otherwise = 8080): number {
  const text = process.env[variable] ?? String(otherwise)
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  console.error(`${variable} must be a whole number from 0 to 65535, not '${text}'.`)
  return process.exit(1)
}

/** Says in one line why a port cannot be had, and ends. */
export function giveUp(error: NodeJS.ErrnoException, port: number, variable = 'PORT'): never {
  const isTaken = error.code === 'EADDRINUSE'
  const other = port === 65_535 ? 8080 : port + 1
  console.error(
    isTaken
      ? `Port ${port} is in use. Choose another one: ${variable}=${other}`
      : `Cannot listen on port ${port}: ${error.message}`,
  )
  process.exit(1)
}
