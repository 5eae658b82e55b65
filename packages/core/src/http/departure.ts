import type { Pause } from './pacing.ts'

/** What tells that a client has gone: Node's response, or the signal of a `Request`. */
export type Departure = NodeDeparture | SignalDeparture

interface NodeDeparture {
  readonly destroyed?: boolean
  once(event: 'close', gone: () => void): unknown
  removeListener(event: 'close', gone: () => void): unknown
}

interface SignalDeparture {
  readonly aborted: boolean
  addEventListener(event: 'abort', gone: () => void): unknown
  removeEventListener(event: 'abort', gone: () => void): unknown
}

/** Keeps a pause, then calls `go`; never, if the client goes away before. */
export function pauseFor(pause: Pause, departure: Departure, go: () => void): void {
  waitFor(pause, departure, go, () => undefined)
}

/**
 * For adapters that go on by promises: whether to go on, told when the request's turn has come, or
 * `false` as soon as its client has gone.
 *
 * @example
 * if (verdict.pause !== undefined && !(await turnOf(verdict.pause, ctx.res))) return
 */
export function turnOf(pause: Pause, departure: Departure): Promise<boolean> {
  return new Promise((resolve) => {
    waitFor(
      pause,
      departure,
      () => resolve(true),
      () => resolve(false),
    )
  })
}

function waitFor(pause: Pause, departure: Departure, go: () => void, gone: () => void): void {
  if (isSignal(departure) ? departure.aborted : departure.destroyed === true) {
    gone()
    return
  }
  const leave = pause(() => {
    unlisten(departure, onGone)
    go()
  })
  function onGone(): void {
    unlisten(departure, onGone)
    leave()
    gone()
  }
  if (isSignal(departure)) departure.addEventListener('abort', onGone)
  else departure.once('close', onGone)
}

function unlisten(departure: Departure, onGone: () => void): void {
  if (isSignal(departure)) departure.removeEventListener('abort', onGone)
  else departure.removeListener('close', onGone)
}

function isSignal(departure: Departure): departure is SignalDeparture {
  return 'addEventListener' in departure
}
