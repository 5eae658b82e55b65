import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type BackendAddress, type Backends, roundRobin } from './backends.ts'
import { forwarder } from './forward.ts'
import { trustedHops, type TrustedHops } from './hops.ts'
import { createLimits, type Limits, type LimitsOptions } from './limits.ts'

export interface BalancerOptions extends Partial<Pick<LimitsOptions, 'onDecision'>> {
  readonly backends: readonly BackendAddress[]
  readonly trustedHops: TrustedHops
  /** Policies and where their buckets are; nobody is limited when left out. */
  readonly limits?: Pick<LimitsOptions, 'policies' | 'createStore' | 'balancers'> | undefined
  readonly checkEveryMs?: number | undefined
  readonly answerTimeoutMs?: number | undefined
}

export interface Balancer {
  /** Not listening yet. */
  readonly server: Server
  readonly backends: Backends
  /** `undefined` if nobody is limited. */
  readonly limits: Limits | undefined
  /** Takes no more connections, lets what is under way end, and cuts off what has not after `graceMs`. */
  close(graceMs?: number): Promise<void>
}

/** Backends in turn behind one server, with a limit for each client before any of it. */
export function createBalancer(options: BalancerOptions): Balancer {
  const { checkEveryMs = 1000, answerTimeoutMs, onDecision } = options
  const hops = trustedHops(options.trustedHops)
  const backends = roundRobin(options.backends, { checkEveryMs })
  const limits =
    options.limits && createLimits({ ...options.limits, keyOf: (req) => hops.keyOf(req), onDecision })
  let isClosing = false
  const forward = forwarder({ backends, hops, answerTimeoutMs, isClosing: () => isClosing })

  function handle(req: IncomingMessage, res: ServerResponse, admitted: () => void): void {
    if (isClosing) res.shouldKeepAlive = false
    if (limits === undefined) return admitted()
    limits.limit(req, res, (error) => (error === undefined ? admitted() : fail(error, res)))
  }

  const server = createServer({ shouldUpgradeCallback: isWebSocket }, (req, res) =>
    handle(req, res, () => void forward.web(req, res)),
  )
  // Refused before it is told to send its body.
  server.on('checkContinue', (req, res) =>
    handle(req, res, () => {
      res.writeContinue()
      delete req.headers.expect
      void forward.web(req, res)
    }),
  )
  const upgraded = new Set<Socket>()
  server.on('upgrade', (req, stream, head) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    const admitted = (): void => {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      forward.upgrade(req, socket, head)
    }
    if (limits === undefined) admitted()
    else limits.limit.upgrade(req, socket, admitted)
  })

  return {
    server,
    backends,
    limits,
    async close(graceMs = 10_000) {
      isClosing = true
      backends.stop()
      const cut = setTimeout(() => {
        server.closeAllConnections()
        for (const socket of upgraded) socket.destroy()
      }, graceMs)
      // A connection whose answer had begun was told to stay open, and is idle only when that has ended.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(cut)
      clearInterval(sweep)
      forward.close()
    },
  }
}

/** Without a say in it, Node would take any `Upgrade`, such as curl's h2c, for one that must be answered. */
function isWebSocket(req: IncomingMessage): boolean {
  return req.headers.upgrade?.toLowerCase() === 'websocket'
}

function fail(error: unknown, res: ServerResponse): void {
  process.emitWarning(error as Error)
  res.statusCode = 500
  res.end()
}
