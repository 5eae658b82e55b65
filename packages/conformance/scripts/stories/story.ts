import type { Policy } from '@tickbucket/core'
import type { VectorStep } from '../../src/vectors.ts'

/** A vector without its answers. */
export interface Story {
  readonly name: string
  readonly policies: readonly Policy[]
  readonly steps: readonly Pick<VectorStep, 'at' | 'cost' | 'repeat'>[]
}

export const MINUTE = 60_000
export const DAY = 86_400_000
export const MOST: number = Number.MAX_SAFE_INTEGER

/** Takes of one token each, at the given times. */
export function at(...times: readonly number[]): Story['steps'] {
  return times.map((time) => ({ at: time, cost: 1 }))
}

/** So many takes alike, from a time on. */
export function times(count: number, time: number, everyMs = 0, cost = 1): Story['steps'][number] {
  return { at: time, cost, repeat: { count, everyMs } }
}
