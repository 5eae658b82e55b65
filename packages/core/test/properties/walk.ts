import { type BucketState, type Decision, freshState, type Policy, take } from '@tickbucket/core'
import type { Move } from './arbitraries.ts'

export const START = 1_700_000_000_000

/** Runs moves on the pure arithmetic of one client, and calls back after each. */
export function walk(
  policies: readonly Policy[],
  moves: readonly Move[],
  seen: (now: number, move: Move, decision: Decision, states: readonly BucketState[]) => void,
): void {
  let now = START
  const states = policies.map((policy) => freshState(policy, now))
  for (const move of moves) {
    now += move.byMs
    seen(now, move, take(policies, states, now, move.cost), states)
  }
}
