import { type Decision, decide, type Reading } from '../decision.ts'
import { show, TickbucketError } from '../errors.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { Policy } from '../policy.ts'
import type { GuardSettings } from './guard-options.ts'
import type { StandIn } from './stand-in.ts'

/** What was decided; and if the store failed, with what. */
export interface Answer {
  readonly decision: Decision
  readonly error?: Error
}

/** How long a client is told to wait when we cannot tell whether it must. */
const UNKNOWN_WAIT_MS = 1000

/**
 * Asks the store; and when that fails, in whichever way, does what `onStoreError` says: a refusal is
 * never a failure, and a failure never a refusal. The answer never throws and never rejects.
 */
export function storeAsker<Ctx, Res>({ take, onStoreError }: GuardSettings<Ctx, Res>, standIn: StandIn) {
  function failed(reason: unknown, key: string, cost: number, policies: readonly Policy[]): Answer {
    const error =
      reason instanceof Error
        ? reason
        : new Error(`The store failed with ${show(reason)}.`, { cause: reason })
    if (onStoreError === 'local') return { decision: standIn.take(key, cost, policies), error }
    const open = decide([], 'policy')
    return {
      decision: onStoreError === 'allow' ? open : { ...open, allowed: false, retryAfterMs: UNKNOWN_WAIT_MS },
      error,
    }
  }

  return (key: string, cost: number, policies: readonly Policy[]): MaybePromise<Answer> => {
    try {
      const answer = take(key, cost, policies)
      if (!isPromise(answer)) return { decision: checkedDecision(answer) }
      return Promise.resolve(answer)
        .then((decision) => ({ decision: checkedDecision(decision) }))
        .catch((reason: unknown) => failed(reason, key, cost, policies))
    } catch (reason) {
      return failed(reason, key, cost, policies)
    }
  }
}

function checkedDecision(answer: unknown): Decision {
  const { allowed, remaining, retryAfterMs, delayMs, readings } = (answer ?? {}) as Partial<Decision>
  const isWhole =
    typeof allowed === 'boolean' &&
    isDuration(remaining) &&
    isDuration(retryAfterMs) &&
    isDuration(delayMs) &&
    delayMs !== Infinity &&
    Array.isArray(readings)
  if (isWhole && areReadings(readings) && allowed === (retryAfterMs === 0)) return answer as Decision
  throw new TickbucketError(
    'STORE_ANSWER',
    'store',
    answer,
    `The store answered a take with ${show(answer)}, which is no decision.`,
  )
}

function areReadings(readings: readonly Partial<Reading>[]): boolean {
  for (let index = 0; index < readings.length; index += 1) {
    const { policy, remaining, retryAfterMs, nextTokenAfterMs, resetAfterMs } = readings[index] ?? {}
    const isReading =
      typeof policy?.name === 'string' &&
      isDuration(remaining) &&
      isDuration(retryAfterMs) &&
      isDuration(nextTokenAfterMs) &&
      isDuration(resetAfterMs)
    if (!isReading) return false
  }
  return readings.length > 0
}

/** A number that can be told to a client: 0 or more, or never. */
function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}
