import type { Pause } from './pacing.ts'

/** What tells that a client has gone: Node's response, or the signal of a `Request`. */
export type Departure = NodeDeparture | SignalDeparture

interface NodeDeparture {
  readonly destroyed?: boolean
  /** Of a response of HTTP/2, which does not tell itself. */
  readonly stream?: { readonly destroyed: boolean } | undefined
  once(event: 'close', gone: () => void): unknown
  removeListener(event: 'close', gone: () => void): unknown
}

interface SignalDeparture {
  readonly aborted: boolean
  addEventListener(event: 'abort', gone: () => void): unknown
  removeEventListener(event: 'abort', gone: () => void): unknown
}

/**
 * Keeps a pause: whether to go on, told when the request's turn has come, or `false` as soon as its
 * client has gone. A promise also where handlers are callbacks: what goes on after it does so in its
 * own request's context (Node's `AsyncLocalStorage`), and not in that of whoever set the timer.
 *
 * @example
 * if (verdict.pause !== undefined && !(await turnOf(verdict.pause, ctx.res))) return
 */
export function turnOf(pause: Pause, departure: Departure): Promise<boolean> {
  return new Promise((resolve) => {
    if (hasGone(departure)) {
      resolve(false)
      return
    }
    const leave = pause(() => {
      unlisten(departure, onGone)
      resolve(true)
    })
    function onGone(): void {
      unlisten(departure, onGone)
      leave()
      resolve(false)
    }
    if (isSignal(departure)) departure.addEventListener('abort', onGone)
    else departure.once('close', onGone)
  })
}

function hasGone(departure: Departure): boolean {
  if (isSignal(departure)) return departure.aborted
  return departure.destroyed === true || departure.stream?.destroyed === true
}

function unlisten(departure: Departure, onGone: () => void): void {
  if (isSignal(departure)) departure.removeEventListener('abort', onGone)
  else departure.removeListener('close', onGone)
}

function isSignal(departure: Departure): departure is SignalDeparture {
  return 'addEventListener' in departure
}
