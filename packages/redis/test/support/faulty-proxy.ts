import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between a client and a server on loopback, that can be made to fail. */
export interface FaultyProxy {
  readonly port: number
  /** `swallow` passes nothing on, `lose-answers` only questions, `refuse` closes every new connection. */
  mode: 'pass' | 'swallow' | 'lose-answers' | 'refuse'
  /** How long every piece is under way, in each direction. */
  delayMs: number
  /** Breaks the connections that there are. */
  cut(): void
  close(): Promise<void>
}

export async function faultyProxy(serverPort: number): Promise<FaultyProxy> {
  const sockets = new Set<Socket>()
  const listener = createServer((near) => {
    if (proxy.mode === 'refuse') {
      near.destroy()
      return
    }
    const far = connect(serverPort, '127.0.0.1')
    for (const [from, to, isAnswer] of [
      [near, far, false],
      [far, near, true],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (chunk) => {
        if (proxy.mode === 'swallow' || (proxy.mode === 'lose-answers' && isAnswer)) return
        if (proxy.delayMs === 0) to.write(chunk)
        else setTimeout(() => to.write(chunk), proxy.delayMs)
      })
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const proxy: FaultyProxy = {
    port: (listener.address() as AddressInfo).port,
    mode: 'pass',
    delayMs: 0,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      listener.close()
      this.cut()
      await once(listener, 'close')
    },
  }
  return proxy
}
