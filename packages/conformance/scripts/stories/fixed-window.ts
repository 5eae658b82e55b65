import { fixedWindow, leakyBucket, type Policy, tokenBucket } from '@tickbucket/core'
import { at, DAY, MOST, type Story, times } from './story.ts'

function fixed(limit: number, windowMs: number): readonly Policy[] {
  return [fixedWindow({ limit, windowMs })]
}

/** What the golden vectors of the fixed window tell. */
export const fixedWindowStories: readonly Story[] = [
  {
    name: 'three in each second',
    policies: fixed(3, 1000),
    steps: at(0, 400, 600, 999, 1000, 1000, 1000, 1999, 2000, 3000, 3000, 3000, 3000),
  },
  {
    name: 'the two bursts around a boundary',
    policies: fixed(3, 1000),
    steps: [times(3, 999), times(1, 999), times(3, 1000), times(1, 1000), times(1, 1999), times(3, 2000)],
  },
  {
    name: 'a client seen first in the middle of a window has what is left of it',
    policies: fixed(2, DAY),
    steps: at(DAY / 2, DAY / 2, DAY / 2, DAY - 1, DAY),
  },
  {
    name: 'costs',
    policies: fixed(10, 1000),
    steps: [
      { at: 250, cost: 8 },
      { at: 300, cost: 3 },
      { at: 300, cost: 2 },
      { at: 300, cost: 11 },
      { at: 999, cost: 1 },
      { at: 1000, cost: 10 },
    ],
  },
  {
    name: 'a refusal counts for nothing',
    policies: fixed(1, 1000),
    steps: [times(1, 0), times(999, 1, 1), times(1, 1000), times(999, 1001, 1), times(1, 2000)],
  },
  {
    name: 'a cost of 0 reads',
    policies: fixed(2, 1000),
    steps: [
      { at: 100, cost: 0 },
      { at: 100, cost: 2 },
      { at: 999, cost: 0 },
      { at: 1000, cost: 0 },
    ],
  },
  {
    name: 'a clock that steps back into an older window counts in the newer one',
    policies: fixed(2, 1000),
    steps: at(10_000, 9500, 9999, 4000, 10_999, 11_000),
  },
  {
    name: 'windows before the epoch',
    policies: fixed(1, 1000),
    steps: at(-1500, -1001, -1000, -1, 0, 999, 1000),
  },
  { name: 'a window of one millisecond', policies: fixed(1, 1), steps: at(0, 0, 1, 1, 2) },
  { name: 'the longest window of all', policies: fixed(1, MOST), steps: at(0, 1, MOST - 1, MOST) },
  {
    name: 'a fixed window with a token bucket and a queue: all or none',
    policies: [
      fixedWindow({ name: 'daily', perDay: 5 }),
      tokenBucket({ name: 'burst', capacity: 3, perSecond: 1 }),
      leakyBucket({ name: 'paced', queue: 2, after: 1, perSecond: 2 }),
    ],
    steps: [
      times(3, DAY - 5000),
      ...at(DAY - 5000, DAY - 4000, DAY - 3000, DAY - 2000, DAY - 1, DAY, DAY, DAY),
    ],
  },
]
