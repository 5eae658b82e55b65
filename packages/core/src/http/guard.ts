import type { Decision } from '../decision.ts'
import { checkedCost, checkedKey } from '../limiter.ts'
import { after, isPromise, type MaybePromise } from '../maybe-promise.ts'
import { asPolicies } from '../policies/list.ts'
import type { Policy } from '../policy.ts'
import { claimPolicyNames } from '../stores/policy-names.ts'
import { addressKeys } from './address-key.ts'
import { type Answer, storeAsker } from './ask-store.ts'
import type { Facts, SentHeaders } from './facts.ts'
import {
  type Field,
  FIELDS_GONE_FROM_REFUSALS,
  isPreflight,
  limitFields,
  problemFields,
  refusalFields,
  violated,
} from './fields.ts'
import { type DecisionEvent, type GuardOptions, type GuardSettings, guardSettings } from './guard-options.ts'
import { createPacer, type Pacer, type Pause } from './pacing.ts'
import { quotaExceeded, temporaryReducedCapacity } from './problem.ts'
import { type StandIn, standInOf } from './stand-in.ts'
import { createUseWatcher } from './use-watcher.ts'

/** What an adapter does with a request: sets `fields`, and goes on, after `pause`, or answers with `refusal`. */
export interface Verdict<Ctx, Res = Ctx> {
  /** What was decided; `undefined` if the request is not limited. */
  readonly decision: Decision | undefined
  /** Header fields to set, whatever the answer. */
  readonly fields: readonly Field[]
  /** The answer to give in place of the handler's; `undefined`: let the request through. */
  readonly refusal: Refusal<Ctx, Res> | undefined
  /** What to wait for before the request goes on; see `turnOf`. `undefined`: nothing. */
  readonly pause: Pause | undefined
}

export interface Refusal<Ctx, Res = Ctx> {
  readonly status: 429 | 503
  /** To be set beside the verdict's; they describe `body`. */
  readonly fields: readonly Field[]
  readonly body: string
  /** Names of fields to remove before any is set: what something in front said of another answer. */
  readonly without: readonly string[]
  /** The user's own answer: call it in place of sending `status`, `fields` and `body`. */
  readonly onRefused: ((ctx: Ctx, decision: Decision, response: Res) => unknown) | undefined
}

/** A limiter for HTTP that knows no framework: facts about a request in, a verdict out. */
export interface Guard<Ctx, Res = Ctx> {
  /**
   * Decides about one request. Answers at once if the store and the callbacks do. Throws or
   * rejects only with what a callback threw, or with the error that says what one gave. `sent` is
   * where the headers of limiters that ran before can be read, if any did.
   */
  check(ctx: Ctx, sent?: SentHeaders): MaybePromise<Verdict<Ctx, Res>>
}

const NOT_LIMITED = Object.freeze({ decision: undefined, fields: [], refusal: undefined, pause: undefined })

/**
 * What every adapter stands on.
 *
 * @throws {TickbucketError} at once, for whatever is wrong with the options.
 * @example
 * const guard = createGuard(options, { method: (req) => req.method, ... })
 * const verdict = await guard.check(req, res)
 */
export function createGuard<Ctx, Res = Ctx>(
  options: GuardOptions<Ctx, Res>,
  facts: Facts<Ctx>,
): Guard<Ctx, Res> {
  const settings = guardSettings(options)
  const keyOf = settings.key ?? addressKeys(facts, settings.ipv6Prefix)
  const mostCost = typeof settings.cost === 'number' ? Math.max(1, settings.cost) : Infinity
  const standIn = standInOf(settings.store, settings.balancers, mostCost)
  const policiesOf = policySource(settings, standIn)
  const costOf = costSource(settings)
  const ask = storeAsker(settings, standIn)
  const pacer = createPacer()
  const noteUse = createUseWatcher()

  // One step each, called with what the steps before have found: over a store and callbacks that
  // answer at once, a request makes no promise and no closure.
  function withKey(
    ctx: Ctx,
    sent: SentHeaders | undefined,
    key: string | null,
  ): MaybePromise<Verdict<Ctx, Res>> {
    if (key === null) return NOT_LIMITED
    checkedKey(key)
    const policies = policiesOf(ctx)
    if (isPromise(policies)) return after(policies, (list) => withPolicies(ctx, sent, key, list))
    return withPolicies(ctx, sent, key, policies)
  }

  function withPolicies(
    ctx: Ctx,
    sent: SentHeaders | undefined,
    key: string,
    policies: readonly Policy[],
  ): MaybePromise<Verdict<Ctx, Res>> {
    const cost = costOf(ctx)
    if (isPromise(cost)) return after(cost, (tokens) => withCost(ctx, sent, key, policies, tokens))
    return withCost(ctx, sent, key, policies, cost)
  }

  function withCost(
    ctx: Ctx,
    sent: SentHeaders | undefined,
    key: string,
    policies: readonly Policy[],
    cost: number,
  ): MaybePromise<Verdict<Ctx, Res>> {
    const answer = ask(key, cost, policies)
    if (isPromise(answer)) return after(answer, (found) => concluded(ctx, sent, key, policies, cost, found))
    return concluded(ctx, sent, key, policies, cost, answer)
  }

  function concluded(
    ctx: Ctx,
    sent: SentHeaders | undefined,
    key: string,
    policies: readonly Policy[],
    cost: number,
    answer: Answer,
  ): Verdict<Ctx, Res> {
    const { decision, error } = answer
    const pause = pauseOf(pacer, key, cost, policies, decision, settings)
    const verdict = verdictOf(decision, policies, settings, sent, pause)
    if (settings.onDecision !== undefined) {
      const event = { ctx, key: checkedKey(key), cost, decision, refused: verdict.refusal !== undefined }
      report(settings.onDecision, error === undefined ? event : { ...event, error })
    }
    return verdict
  }

  return {
    check(ctx, sent) {
      noteUse(ctx)
      if (isPreflight(ctx, facts)) return NOT_LIMITED
      const key = keyOf(ctx)
      return isPromise(key) ? after(key, (name) => withKey(ctx, sent, name)) : withKey(ctx, sent, key)
    },
  }
}

function policySource<Ctx, Res>(
  { policies, store, onStoreError }: GuardSettings<Ctx, Res>,
  standIn: StandIn,
): (ctx: Ctx) => MaybePromise<readonly Policy[]> {
  const isLocal = onStoreError === 'local'
  if (typeof policies !== 'function') {
    if (isLocal) standIn.check(policies)
    return () => policies
  }
  return (ctx) =>
    after(policies(ctx), (list) => {
      const checked = asPolicies(list)
      claimPolicyNames(store, checked)
      if (isLocal) standIn.check(checked)
      return checked
    })
}

function costSource<Ctx, Res>({ cost }: GuardSettings<Ctx, Res>): (ctx: Ctx) => MaybePromise<number> {
  return typeof cost === 'function' ? (ctx) => after(cost(ctx), checkedCost) : () => cost
}

/**
 * A request that takes nothing, or that is only watched, waits for nothing; any other waits for those
 * before it whose turn the same leaky buckets tell.
 */
function pauseOf<Ctx, Res>(
  pacer: Pacer,
  key: string,
  cost: number,
  policies: readonly Policy[],
  { allowed, delayMs }: Decision,
  { dryRun }: GuardSettings<Ctx, Res>,
): Pause | undefined {
  if (!allowed || cost === 0 || dryRun) return undefined
  let queue = ''
  for (const { shape, name } of policies) if (shape === 'leaky-bucket') queue += `${name} `
  return queue === '' && delayMs === 0 ? undefined : pacer.pause(queue + key, delayMs)
}

function verdictOf<Ctx, Res>(
  decision: Decision,
  policies: readonly Policy[],
  settings: GuardSettings<Ctx, Res>,
  sent: SentHeaders | undefined,
  pause: Pause | undefined,
): Verdict<Ctx, Res> {
  const fields = limitFields(decision, settings, sent)
  if (decision.allowed || settings.dryRun) return { decision, fields, refusal: undefined, pause }
  const failed = decision.source === 'policy'
  const named = failed ? policies : violated(decision).map(({ policy }) => policy)
  const names = named.map(({ name }) => name)
  const { status, body } = failed ? temporaryReducedCapacity(names) : quotaExceeded(names)
  return {
    decision,
    fields: [...refusalFields(decision.retryAfterMs), ...fields],
    pause: undefined,
    refusal: {
      status,
      body,
      fields: problemFields(body),
      without: FIELDS_GONE_FROM_REFUSALS,
      onRefused: failed ? undefined : settings.onRefused,
    },
  }
}

function report<Ctx>(onDecision: (event: DecisionEvent<Ctx>) => unknown, event: DecisionEvent<Ctx>): void {
  try {
    const result = onDecision(event)
    if (isPromise(result)) result.catch(() => undefined)
  } catch {
    // A listener is not part of the answer.
  }
}
