/** A value at once, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>

/** Anything with a `then` counts: a promise may come from another library. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Goes on with a value at once, or with a promise's when it is there. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
