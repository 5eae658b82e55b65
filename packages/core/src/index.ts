// Policies
export type { Policy, ShapeName } from './policy.ts'
export { tokenBucket, type TokenBucketOptions } from './policies/token-bucket.ts'
export { leakyBucket, type LeakyBucketOptions } from './policies/leaky-bucket.ts'
export { fixedWindow, slidingWindow, type WindowOptions } from './policies/window.ts'
export type { PerTimeOptions, RateOptions, WindowRateOptions } from './policies/rate.ts'
export { policyNameOf } from './policies/name.ts'
// Limiters
export { createLimiter, type Limiter, type LimiterOptions, type PolicyOptions } from './limiter.ts'
export { type Decision, decide, type Reading, type Source } from './decision.ts'
export { joinKey } from './key.ts'
// Stores
export {
  memoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
  type MemoryStoreStats,
} from './stores/memory-store.ts'
export type { Store, SyncStore } from './stores/store.ts'
// Arithmetic, for stores that run it
export { freshState, read, shapeOf, take } from './shapes/take.ts'
export type { BucketState, Shape } from './shapes/shape.ts'
// HTTP, for adapters
export { createGuard, type Guard, type Refusal, type Verdict } from './http/guard.ts'
export type { DecisionEvent, GuardOptions } from './http/guard-options.ts'
export { type LimitedRequest, runGuard } from './http/run-guard.ts'
export { applyVerdict } from './http/apply-verdict.ts'
export { nodeResponder, type NodeResponse, type Responder } from './http/responder.ts'
export type { Facts, SentHeaders } from './http/facts.ts'
export type { Departure } from './http/departure.ts'
export type { Pause } from './http/pacing.ts'
export { type Field, fieldsBeside, REMAINING, RETRY_AFTER, wholeSeconds } from './http/fields.ts'
export { clientKey } from './http/client-key.ts'
export { after, type MaybePromise } from './maybe-promise.ts'
// Options, for stores and adapters that check theirs alike
export { asOptions, oneOf, refuseUnknown, wholeNumber } from './options.ts'
// Time and mistakes
export { type Clock, clockFrom, systemClock } from './clock.ts'
export { type ErrorCode, TickbucketError } from './errors.ts'
