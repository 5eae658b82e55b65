import { createModel, manualClock, summaryOf } from '@tickbucket/conformance'
import { memoryStore } from '@tickbucket/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyPolicies, jumpingMoves } from './arbitraries.ts'

test('the memory store answers as the model of a store does, under clocks that jump both ways', () => {
  fc.assert(
    fc.property(anyPolicies, jumpingMoves, fc.array(fc.boolean()), (policies, moves, resets) => {
      const clock = manualClock(1_000_000)
      const store = memoryStore({ clock })
      const model = createModel('store')
      for (const [index, { byMs, cost, key }] of moves.entries()) {
        clock.advance(byMs)
        if (resets[index] === true) {
          store.reset(key, policies)
          model.reset(key, policies)
        }
        expect(summaryOf(store.take(key, cost, policies))).toEqual(model.take(key, cost, policies, clock()))
      }
    }),
    { numRuns: 3000 },
  )
})
