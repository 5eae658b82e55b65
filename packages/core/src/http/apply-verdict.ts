import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { turnOf } from './departure.ts'
import type { Verdict } from './guard.ts'
import type { Responder } from './responder.ts'

/**
 * Does with a response what a verdict says, and tells whether the request may go on, once its turn
 * has come. If not, it is answered, or its client has gone. To a response that is under way nothing is
 * added; it is cut off if the request may not go on.
 *
 * Throws or rejects only with what `onRefused` did; the verdict's fields are set then.
 *
 * @example
 * if (await applyVerdict(await guard.check(ctx, ctx.res), responder, ctx, ctx.res)) await next()
 */
export function applyVerdict<Ctx, Res>(
  { decision, fields, refusal, pause }: Verdict<Ctx, Res>,
  responder: Responder<Res>,
  ctx: Ctx,
  res: Res,
): MaybePromise<boolean> {
  if (responder.isSent(res)) {
    if (refusal !== undefined) responder.cutOff(res)
    return refusal === undefined
  }
  if (refusal !== undefined) for (const name of refusal.without) responder.removeHeader(res, name)
  for (const field of fields) responder.setHeader(res, field[0], field[1])
  if (pause !== undefined) return turnOf(pause, responder.departure(res))
  if (decision === undefined || refusal === undefined) return true
  responder.setStatus(res, refusal.status)
  if (refusal.onRefused !== undefined)
    return answeredBy(() => refusal.onRefused!(ctx, decision, res), responder, res)
  for (const [name, value] of refusal.fields) responder.setHeader(res, name, value)
  responder.send(res, refusal.body)
  return false
}

/** The answer of a user's own. What fails is a mistake of ours, and not of the client's. */
function answeredBy<Res>(
  onRefused: () => unknown,
  responder: Responder<Res>,
  res: Res,
): MaybePromise<boolean> {
  const accepted = (given: unknown): false => {
    responder.accept?.(res, given)
    return false
  }
  const failed = (error: unknown): never => {
    if (!responder.isSent(res)) responder.setStatus(res, 200)
    throw error
  }
  try {
    const given = onRefused()
    return isPromise(given) ? Promise.resolve(given).then(accepted, failed) : accepted(given)
  } catch (error) {
    return failed(error)
  }
}
