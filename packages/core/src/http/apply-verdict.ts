import { after, isPromise, type MaybePromise } from '../maybe-promise.ts'
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
  if (refusal.onRefused !== undefined) {
    const given = refusal.onRefused(ctx, decision, res)
    if (isPromise(given)) return after(given, (answer) => accepted(responder, res, answer))
    return accepted(responder, res, given)
  }
  for (const [name, value] of refusal.fields) responder.setHeader(res, name, value)
  responder.send(res, refusal.body)
  return false
}

function accepted<Res>(responder: Responder<Res>, res: Res, answer: unknown): false {
  responder.accept?.(res, answer)
  return false
}
