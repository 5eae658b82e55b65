import { setTimeout as sleep } from 'node:timers/promises'

/** Where a server behind the balancer is, as an origin such as `http://10.0.0.7:3000`, and what to call it. */
export interface BackendAddress {
  readonly name: string
  readonly url: string
}

/** One server behind the balancer, and what is known of it. */
export interface Backend extends BackendAddress {
  isUp: boolean
  /** Requests sent to it, repeated ones included. */
  sent: number
  /** Requests that it did not answer. */
  failed: number
}

export interface Backends {
  readonly all: readonly Backend[]
  /** The next one that is up and not among `tried`, in turn. */
  next(tried?: ReadonlySet<Backend>): Backend | undefined
  /** Notes that a request got no answer; one that cannot be reached is left alone until it is healthy. */
  noteFailure(backend: Backend, error: unknown): void
  /** Asks every backend whether it is healthy, now. */
  check(): Promise<void>
  /** Ends the checks. */
  stop(): void
}

/** Errors that say that nobody listens. A reset may be an idle connection that was closed meanwhile. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'])

export interface BackendsOptions {
  /** Asked with GET; healthy is what answers with a 2xx status. */
  readonly healthPath?: string
  readonly checkEveryMs?: number
  readonly checkTimeoutMs?: number
}

/** Backends in turn, with health checks until `stop()`. Each counts as up until it fails. */
export function roundRobin(list: readonly BackendAddress[], options: BackendsOptions = {}): Backends {
  const { healthPath = '/health', checkEveryMs = 1000, checkTimeoutMs = 1000 } = options
  const all = list.map(({ name, url }): Backend => ({
    name,
    url: new URL(url).origin,
    isUp: true,
    sent: 0,
    failed: 0,
  }))
  const stopping = new AbortController()
  let turn = 0

  async function checkOne(backend: Backend): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(checkTimeoutMs)])
    try {
      const response = await fetch(new URL(healthPath, backend.url), { signal, redirect: 'manual' })
      await response.body?.cancel()
      backend.isUp = response.ok
    } catch {
      if (!stopping.signal.aborted) backend.isUp = false
    }
  }

  async function checkForever(): Promise<void> {
    for (;;) {
      await sleep(checkEveryMs, undefined, { signal: stopping.signal, ref: false })
      await Promise.all(all.map(checkOne))
    }
  }
  checkForever().catch(() => undefined)

  return {
    all,
    next(tried) {
      for (let count = 0; count < all.length; count += 1) {
        const backend = all[turn % all.length]!
        turn = (turn + 1) % all.length
        if (backend.isUp && tried?.has(backend) !== true) return backend
      }
      return undefined
    },
    noteFailure(backend, error) {
      backend.failed += 1
      if (UNREACHABLE.has((error as NodeJS.ErrnoException).code ?? '')) backend.isUp = false
    },
    check: async () => void (await Promise.all(all.map(checkOne))),
    stop: () => stopping.abort(),
  }
}
