import type { Decision } from '../decision.ts'
import { show } from '../errors.ts'
import { after, isPromise, type MaybePromise } from '../maybe-promise.ts'
import { applyVerdict } from './apply-verdict.ts'
import type { SentHeaders } from './facts.ts'
import type { Guard, Verdict } from './guard.ts'
import type { Responder } from './responder.ts'

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
      ? after(verdict, (ready) => carried(ready, responder, req, res))
      : carried(verdict, responder, req, res)
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

function carried<Req extends LimitedRequest, Res>(
  verdict: Verdict<Req, Res>,
  responder: Responder<Res>,
  req: Req,
  res: Res,
): MaybePromise<boolean> {
  if (verdict.decision !== undefined) req.rateLimit = verdict.decision
  return applyVerdict(verdict, responder, req, res)
}

/** To most frameworks `next()` of anything falsy means to go on, and of these texts to skip. */
function asError(error: unknown): unknown {
  return Boolean(error) && error !== 'route' && error !== 'router'
    ? error
    : new Error(`A callback of a limiter failed with ${show(error)}.`, { cause: error })
}
