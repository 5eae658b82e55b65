/**
 * Why a store could not answer: no answer in time; too many waiting already; known to be down; an
 * answer that was decided too late to count; or what Redis said.
 */
export type RedisStoreErrorCode =
  | 'REDIS_TIMEOUT'
  | 'REDIS_OVERLOADED'
  | 'REDIS_DOWN'
  | 'REDIS_LATE'
  | 'REDIS_FAILED'

/** A failure of the store, never a refusal. What Redis or its client said is the `cause`. */
export class RedisStoreError extends Error {
  override readonly name = 'RedisStoreError'
  readonly code: RedisStoreErrorCode

  constructor(code: RedisStoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
