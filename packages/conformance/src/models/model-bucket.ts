/** One bucket of one shape, as the model sees it. `undefined` in place of a wait: never. */
export interface ModelBucket {
  pass(now: bigint): void
  waitMs(cost: bigint): bigint | undefined
  /** Takes `cost`, and says how long it is to wait before it goes on. */
  spend(cost: bigint): bigint
  report(): { readonly remaining: bigint; readonly nextTokenAfterMs: bigint; readonly resetAfterMs: bigint }
  ticks(): bigint
}

export function dividedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
