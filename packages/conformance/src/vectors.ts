import type { Policy } from '@tickbucket/core'
import fixedWindow from '../vectors/fixed-window.json' with { type: 'json' }
import leakyBucket from '../vectors/leaky-bucket.json' with { type: 'json' }
import slidingWindow from '../vectors/sliding-window.json' with { type: 'json' }
import tokenBucket from '../vectors/token-bucket.json' with { type: 'json' }

/** One take, or several alike, of one client. */
export interface VectorStep {
  /** The clock, in milliseconds; of the first take if there are several. */
  readonly at: number
  readonly cost: number
  /** `count` takes in all, each `everyMs` after the one before. Once when missing. */
  readonly repeat?: { readonly count: number; readonly everyMs: number }
  /** The answer to each of the takes. */
  readonly allowed: boolean
  /** One for each policy, as of the last of the takes. */
  readonly readings: readonly VectorReading[]
}

export interface VectorReading {
  /** What is left after the take, in ticks: one token of a bucket is `periodMs` ticks, one of a window is one. */
  readonly ticks: number
  readonly remaining: number
  /** `null`: it can never pass. */
  readonly retryAfterMs: number | null
  /** 0 when missing. */
  readonly delayMs?: number
  readonly nextTokenAfterMs: number
  readonly resetAfterMs: number
}

/** A story of one client, first seen at the first step. */
export interface Vector {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly steps: readonly VectorStep[]
}

/**
 * Golden vectors, the same in every language: a file for each shape in `vectors/`, which says how it is read.
 * They hold for the pure arithmetic and for every store, also for one that writes nothing on a
 * refusal: where a clock steps back, the latest time before was that of a take that was allowed.
 */
export const vectors: readonly Vector[] = [tokenBucket, leakyBucket, slidingWindow, fixedWindow].flatMap(
  (file) => file.vectors as readonly Vector[],
)
