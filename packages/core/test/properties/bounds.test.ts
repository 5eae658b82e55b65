import type { Policy } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forwardMoves, jumpingMoves, type Move, ofShape } from './arbitraries.ts'
import { START, walk } from './walk.ts'

const RUNS = { numRuns: 2000 }

interface Taken {
  readonly at: bigint
  readonly tokens: bigint
  readonly delayMs: bigint
}

/** What one client was allowed, at the latest time that was seen. */
function taken(policy: Policy, moves: readonly Move[]): Taken[] {
  const list: Taken[] = []
  let latest = START
  walk([policy], moves, (now, { cost }, { allowed, delayMs }) => {
    latest = Math.max(latest, now)
    if (allowed && cost > 0) list.push({ at: BigInt(latest), tokens: BigInt(cost), delayMs: BigInt(delayMs) })
  })
  return list
}

/** Calls back for every stretch of takes, with the tokens of all in it. */
function stretches(list: readonly Taken[], seen: (tokens: bigint, first: Taken, last: Taken) => void): void {
  for (const [index, first] of list.entries()) {
    let tokens = 0n
    for (const last of list.slice(index)) {
      tokens += last.tokens
      seen(tokens, first, last)
    }
  }
}

test.each(['token-bucket', 'leaky-bucket'] as const)(
  '%s: in no stretch of time is more admitted than the capacity and what flows in',
  (shape) => {
    fc.assert(
      fc.property(ofShape[shape], jumpingMoves, (policy, moves) => {
        const [size, rate, token] = [BigInt(policy.capacity), BigInt(policy.rate), BigInt(policy.periodMs)]
        stretches(taken(policy, moves), (tokens, first, last) => {
          expect(tokens * token <= size * token + (last.at - first.at) * rate).toBe(true)
        })
      }),
      RUNS,
    )
  },
)

test('leaky-bucket: what goes on is no faster than the rate, but for what may pass without delay', () => {
  fc.assert(
    fc.property(ofShape['leaky-bucket'], forwardMoves, (policy, moves) => {
      const [rate, token, after] = [BigInt(policy.rate), BigInt(policy.periodMs), BigInt(policy.after!)]
      stretches(taken(policy, moves), (tokens, first, last) => {
        const ms = last.at + last.delayMs - (first.at + first.delayMs)
        // A delay is rounded up, so the first may have gone on almost a millisecond late.
        expect((tokens - last.tokens) * token <= after * token + (ms + 1n) * rate).toBe(true)
      })
    }),
    RUNS,
  )
})

test('leaky-bucket: nobody overtakes', () => {
  fc.assert(
    fc.property(ofShape['leaky-bucket'], jumpingMoves, (policy, moves) => {
      const starts = taken(policy, moves).map(({ at, delayMs }) => at + delayMs)
      expect(starts).toEqual(starts.toSorted((a, b) => (a < b ? -1 : 1)))
    }),
    RUNS,
  )
})

test('sliding-window: in no window, wherever it begins, is more admitted than the limit', () => {
  fc.assert(
    fc.property(ofShape['sliding-window'], jumpingMoves, (policy, moves) => {
      stretches(taken(policy, moves), (tokens, first, last) => {
        if (last.at - first.at < BigInt(policy.periodMs)) expect(tokens <= BigInt(policy.capacity)).toBe(true)
      })
    }),
    RUNS,
  )
})

test('sliding-window: its log is no longer than what counts needs, twice over', () => {
  fc.assert(
    fc.property(ofShape['sliding-window'], forwardMoves, (policy, moves) => {
      walk([policy], moves, (now, _move, _decision, [state]) => {
        const log = state!.log!
        let living = 0
        for (let run = log[0] ?? 1; run < log.length; run += 2)
          if (now - log[run]! < policy.periodMs) living += 1
        expect(log.length).toBeLessThanOrEqual(4 * living + 2)
        expect(living).toBeLessThanOrEqual(Math.min(policy.capacity, policy.periodMs))
        if (living === 0) expect(log).toEqual([])
      })
    }),
    RUNS,
  )
})

test('fixed-window: in no window from the epoch on is more admitted than the limit, in no other more than twice', () => {
  fc.assert(
    fc.property(ofShape['fixed-window'], jumpingMoves, (policy, moves) => {
      const [limit, length] = [BigInt(policy.capacity), BigInt(policy.periodMs)]
      stretches(taken(policy, moves), (tokens, first, last) => {
        if (first.at / length === last.at / length) expect(tokens <= limit).toBe(true)
        if (last.at - first.at < length) expect(tokens <= 2n * limit).toBe(true)
      })
    }),
    RUNS,
  )
})
