import { createModel, summaryOf } from '@tickbucket/conformance'
import { freshState, take } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyPolicies, forwardMoves, jumpingMoves, smallPolicy } from './arbitraries.ts'
import { START, walk } from './walk.ts'

const RUNS = { numRuns: 2000 }

test('the arithmetic answers as the model in BigInt does, under clocks that jump both ways', () => {
  fc.assert(
    fc.property(anyPolicies, jumpingMoves, (policies, moves) => {
      const model = createModel('bucket')
      // The arithmetic knows its client from the start; so must the model.
      for (const policy of policies) model.know('client', policy, START)
      walk(policies, moves, (now, { cost }, decision, states) => {
        expect(summaryOf(decision)).toEqual(model.take('client', cost, policies, now))
        expect(states.map(({ ticks }) => BigInt(ticks))).toEqual(
          policies.map((policy) => model.ticks('client', policy)),
        )
      })
    }),
    RUNS,
  )
})

test('every number that is kept is a safe integer between empty and full, and time never moves back', () => {
  fc.assert(
    fc.property(anyPolicies, jumpingMoves, (policies, moves) => {
      let before = START
      walk(policies, moves, (now, _move, _decision, states) => {
        for (const [index, { ticks, last }] of states.entries()) {
          expect(
            Number.isSafeInteger(ticks) &&
              ticks >= 0 &&
              ticks <= policies[index]!.capacity * policies[index]!.periodMs,
          ).toBe(true)
          expect(last).toBe(Math.max(before, now))
        }
        before = Math.max(before, now)
      })
    }),
    RUNS,
  )
})

test('a refused take is refused at every instant before retryAfterMs, and allowed exactly at it', () => {
  fc.assert(
    fc.property(
      anyPolicies,
      forwardMoves,
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 5 }),
      (policies, moves, parts) => {
        walk(policies, moves, (now, { cost }, { allowed, retryAfterMs }, states) => {
          if (allowed) return
          const later = (ms: number): boolean =>
            take(policies, structuredClone(states), now + ms, cost).allowed
          if (retryAfterMs === Infinity) {
            expect(policies.some(({ capacity }) => cost > capacity)).toBe(true)
            expect(later(2 ** 51)).toBe(false)
            return
          }
          if (!Number.isSafeInteger(now + retryAfterMs)) return
          for (const part of [...parts, 0]) expect(later(Math.floor(part * retryAfterMs))).toBe(false)
          expect(later(retryAfterMs - 1)).toBe(false)
          expect(later(retryAfterMs)).toBe(true)
        })
      },
    ),
    RUNS,
  )
})

test('the next token and the full bucket come exactly when they are announced', () => {
  fc.assert(
    fc.property(smallPolicy, forwardMoves, (policy, moves) => {
      walk([policy], moves, (now, _move, { readings: [reading] }, states) => {
        const left = (ms: number) => take([policy], structuredClone(states), now + ms, 0).remaining
        const { remaining, nextTokenAfterMs, resetAfterMs } = reading!
        if (remaining === policy.capacity) expect([nextTokenAfterMs, resetAfterMs]).toEqual([0, 0])
        else {
          expect([left(nextTokenAfterMs - 1), left(nextTokenAfterMs)]).toEqual([
            remaining,
            Math.max(remaining + 1, left(nextTokenAfterMs)),
          ])
          expect([left(resetAfterMs - 1) < policy.capacity, left(resetAfterMs)]).toEqual([
            true,
            policy.capacity,
          ])
        }
      })
    }),
    RUNS,
  )
})

test('nothing is lost by polling: reads and refusals in between change no later answer', () => {
  fc.assert(
    fc.property(anyPolicies, forwardMoves, fc.integer({ min: 1, max: 20 }), (policies, moves, polls) => {
      let now = START
      const quiet = policies.map((policy) => freshState(policy, now))
      const polled = structuredClone(quiet)
      const tooMuch = Math.max(...policies.map(({ capacity }) => capacity)) + 1
      for (const { byMs, cost } of moves) {
        for (let poll = 0; poll < polls; poll += 1) {
          const at = now + Math.floor((byMs * poll) / polls)
          take(policies, polled, at, 0)
          take(policies, polled, at, tooMuch)
        }
        now += byMs
        expect(take(policies, polled, now, cost)).toEqual(take(policies, quiet, now, cost))
      }
    }),
    RUNS,
  )
})

test('the order of the policies changes no answer', () => {
  fc.assert(
    fc.property(anyPolicies, jumpingMoves, (policies, moves) => {
      const told: unknown[] = []
      walk(policies, moves, (_now, _move, decision) => told.push(decision.readings))
      const reversed: unknown[] = []
      walk(policies.toReversed(), moves, (_now, _move, decision) =>
        reversed.push(decision.readings.toReversed()),
      )
      expect(reversed).toEqual(told)
    }),
    RUNS,
  )
})
