import type { Decision } from '../decision.ts'
import { after, isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { SentHeaders } from './facts.ts'
import type { Guard, Verdict } from './guard.ts'

/** What is used of Node's `ServerResponse`, which frameworks on Node hand through. */
export interface NodeResponse extends SentHeaders {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): void
  end(body: string): unknown
}

/** A request that carries what was decided to the handlers behind. */
export interface LimitedRequest {
  rateLimit?: Decision
}

/**
 * Runs a guard as a handler of the `(req, res, next)` kind. `next` is called once: with nothing if
 * the request may go on, with the error if a callback failed, and not at all after a refusal.
 */
export function runOnNode<Req extends LimitedRequest, Res extends NodeResponse>(
  guard: Guard<Req, Res>,
  req: Req,
  res: Res,
  next: (error?: unknown) => void,
): void {
  let goesOn: MaybePromise<boolean>
  try {
    goesOn = after(guard.check(req, res), (verdict) => applyOnNode(verdict, req, res))
  } catch (error) {
    next(error)
    return
  }
  if (!isPromise(goesOn)) {
    if (goesOn) next()
    return
  }
  goesOn.then((may) => {
    if (may) next()
  }, next)
}

/** Whether the request may go on; if not, it is answered. A response already under way is left alone. */
function applyOnNode<Req extends LimitedRequest, Res extends NodeResponse>(
  verdict: Verdict<Req, Res>,
  req: Req,
  res: Res,
): MaybePromise<boolean> {
  const { decision, fields, refusal } = verdict
  if (decision !== undefined) req.rateLimit = decision
  if (res.headersSent) return refusal === undefined
  for (const name of refusal?.without ?? []) res.removeHeader(name)
  for (const [name, value] of fields) res.setHeader(name, value)
  if (decision === undefined || refusal === undefined) return true
  if (refusal.onRefused !== undefined) return after(refusal.onRefused(req, decision, res), () => false)
  for (const [name, value] of refusal.fields) res.setHeader(name, value)
  res.statusCode = refusal.status
  res.end(refusal.body)
  return false
}
