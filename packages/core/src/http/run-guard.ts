import type { Decision } from '../decision.ts'
import { show } from '../errors.ts'
import { after, isPromise, type MaybePromise } from '../maybe-promise.ts'
import { type Departure, turnOf } from './departure.ts'
import type { SentHeaders } from './facts.ts'
import type { Guard, Verdict } from './guard.ts'

/** How a framework's response is written to. Made once by an adapter. */
export interface Responder<Res> {
  /** Whether the response is under way, so that nothing more can be said in its head. */
  isSent(res: Res): boolean
  setHeader(res: Res, name: string, value: string): void
  removeHeader(res: Res, name: string): void
  setStatus(res: Res, status: number): void
  send(res: Res, body: string): void
  /** What tells that the client has gone, while a request of its waits. */
  departure(res: Res): Departure
}

/** A request that carries what was decided to the handlers behind. */
export interface LimitedRequest {
  rateLimit?: Decision | undefined
}

/**
 * Runs a guard as a handler of the `(req, res, next)` kind. `next` is called once: with nothing if
 * the request may go on, with the error if a callback failed, and not at all after a refusal, or
 * if the client goes away while the request waits.
 */
export function runGuard<Req extends LimitedRequest, Res extends SentHeaders>(
  guard: Guard<Req, Res>,
  responder: Responder<Res>,
  req: Req,
  res: Res,
  next: (error?: unknown) => void,
): void {
  let goesOn: MaybePromise<boolean>
  try {
    const verdict = guard.check(req, res)
    goesOn = isPromise(verdict)
      ? after(verdict, (ready) => apply(ready, responder, req, res))
      : apply(verdict, responder, req, res)
  } catch (error) {
    next(asError(error))
    return
  }
  if (!isPromise(goesOn)) {
    if (goesOn) next()
    return
  }
  goesOn.then(
    (may) => {
      if (may) next()
    },
    (error: unknown) => next(asError(error)),
  )
}

/** To most frameworks `next()` of anything falsy means to go on, and of some texts to skip. */
function asError(error: unknown): Error {
  return error instanceof Error
    ? error
    : new Error(`A callback of a limiter failed with ${show(error)}.`, { cause: error })
}

/**
 * Whether the request may go on, once its turn has come; if not, it is answered, or its client has
 * gone. A response already under way is left alone.
 */
function apply<Req extends LimitedRequest, Res>(
  { decision, fields, refusal, pause }: Verdict<Req, Res>,
  responder: Responder<Res>,
  req: Req,
  res: Res,
): MaybePromise<boolean> {
  if (decision !== undefined) req.rateLimit = decision
  if (responder.isSent(res)) return refusal === undefined
  if (refusal !== undefined) for (const name of refusal.without) responder.removeHeader(res, name)
  for (const field of fields) responder.setHeader(res, field[0], field[1])
  if (pause !== undefined) return turnOf(pause, responder.departure(res))
  if (decision === undefined || refusal === undefined) return true
  responder.setStatus(res, refusal.status)
  if (refusal.onRefused !== undefined) return after(refusal.onRefused(req, decision, res), () => false)
  for (const [name, value] of refusal.fields) responder.setHeader(res, name, value)
  responder.send(res, refusal.body)
  return false
}

/** What is used of Node's `ServerResponse`, which frameworks on Node hand through. */
export interface NodeResponse extends SentHeaders {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): void
  end(body: string): unknown
  once(event: 'close', gone: () => void): unknown
  removeListener(event: 'close', gone: () => void): unknown
}

/** Writes to Node's own response. */
export const nodeResponder: Responder<NodeResponse> = {
  isSent: (res) => res.headersSent,
  setHeader: (res, name, value) => void res.setHeader(name, value),
  removeHeader: (res, name) => res.removeHeader(name),
  setStatus(res, status) {
    res.statusCode = status
  },
  send: (res, body) => void res.end(body),
  departure: (res) => res,
}
