/** The algorithm of a policy. */
export type ShapeName = 'token-bucket' | 'leaky-bucket' | 'sliding-window' | 'fixed-window'

/**
 * A promise to clients. Plain frozen data: make one with `tokenBucket`, `leakyBucket`,
 * `slidingWindow` or `fixedWindow`.
 */
export interface Policy {
  readonly shape: ShapeName
  /** Names the policy on the wire, and its buckets in a store. */
  readonly name: string
  /**
   * The most tokens that can be taken at once: the allowed burst of a token bucket; one and all
   * that may queue behind it in a leaky bucket; the limit of a window.
   */
  readonly capacity: number
  /** Tokens per `periodMs`: they flow into a bucket evenly; of a window they are the limit. */
  readonly rate: number
  /** Whole milliseconds. The length of a window; one token of a bucket is `periodMs` ticks. */
  readonly periodMs: number
  /** How many tokens of a leaky bucket's queue go on without delay. No other shape has it. */
  readonly after?: number
}

/** The words in which a message tells one policy from another: `10 tokens, 60 per 60000 ms`. */
export function describePolicy(policy: Policy): string {
  return WORDS[policy.shape](policy)
}

const WORDS: { readonly [shape in ShapeName]: (policy: Policy) => string } = {
  'token-bucket': ({ capacity, rate, periodMs }) => `${capacity} tokens, ${rate} per ${periodMs} ms`,
  'leaky-bucket': ({ capacity, rate, periodMs, after }) =>
    `a queue of ${capacity - 1}, ${after} of it without delay, ${rate} per ${periodMs} ms`,
  'sliding-window': ({ capacity, periodMs }) => `at most ${capacity} in any ${periodMs} ms`,
  'fixed-window': ({ capacity, periodMs }) => `at most ${capacity} in each ${periodMs} ms from the epoch on`,
}
