import { fixedWindow, type Policy, slidingWindow } from '@tickbucket/core'
import { at, DAY, MOST, type Story, times } from './story.ts'

function sliding(limit: number, windowMs: number): readonly Policy[] {
  return [slidingWindow({ limit, windowMs })]
}

/** What the golden vectors of the sliding window tell. */
export const slidingWindowStories: readonly Story[] = [
  {
    name: 'three in any second',
    policies: sliding(3, 1000),
    steps: at(0, 400, 600, 999, 1000, 1000, 1399, 1400, 1600),
  },
  {
    name: 'no two bursts around a boundary',
    policies: sliding(3, 1000),
    steps: [times(3, 999), ...at(1000, 1998), times(3, 1999)],
  },
  {
    name: 'many in one millisecond are as many as they are',
    policies: sliding(10, 60_000),
    steps: [times(10, 0), times(10, 0)],
  },
  {
    name: 'one a millisecond, in a window of as many',
    policies: sliding(100, 100),
    steps: [times(1000, 0, 1), times(1, 1000, 0, 2), ...at(1001)],
  },
  {
    name: 'one a millisecond, in a window of more than that',
    policies: sliding(50, 100),
    steps: [times(50, 0, 1), times(50, 50, 1), times(50, 100, 1), times(50, 150, 1)],
  },
  {
    name: 'a cost waits until enough of the old is gone',
    policies: sliding(10, 1000),
    steps: [
      { at: 0, cost: 2 },
      { at: 100, cost: 3 },
      { at: 200, cost: 4 },
      { at: 300, cost: 1 },
      { at: 500, cost: 1 },
      { at: 500, cost: 3 },
      { at: 500, cost: 6 },
      { at: 500, cost: 10 },
      { at: 500, cost: 11 },
      { at: 1099, cost: 3 },
      { at: 1100, cost: 5 },
      { at: 1100, cost: 10 },
      { at: 2100, cost: 10 },
    ],
  },
  {
    name: 'a refusal counts for nothing',
    policies: sliding(1, 1000),
    steps: [times(1, 0), times(999, 1, 1), ...at(1000, 1001)],
  },
  {
    name: 'a cost of 0 reads',
    policies: sliding(2, 1000),
    steps: [
      { at: 0, cost: 0 },
      { at: 0, cost: 2 },
      { at: 500, cost: 0 },
      { at: 999, cost: 0 },
      { at: 1000, cost: 0 },
    ],
  },
  {
    name: 'a clock that steps back counts as if it stood still',
    policies: sliding(3, 1000),
    steps: at(10_000, 4000, 10_500, 10_400, 10_999, 11_000, 11_000, 11_499, 11_500),
  },
  {
    name: 'before the epoch and over it',
    policies: sliding(2, 1000),
    steps: at(-1500, -900, -501, -500, 99, 100, 500),
  },
  { name: 'a window of one millisecond', policies: sliding(2, 1), steps: at(0, 0, 0, 1, 1, 1, 5) },
  {
    name: 'the longest window of all',
    policies: sliding(1, MOST),
    steps: at(0, 1, DAY, MOST - 1, MOST),
  },
  {
    name: 'the largest limit of all',
    policies: sliding(MOST, 1),
    steps: [
      { at: 0, cost: MOST - 1 },
      { at: 0, cost: 2 },
      { at: 0, cost: 1 },
      { at: 0, cost: 1 },
      { at: 1, cost: MOST },
    ],
  },
  {
    name: 'a sliding window before a fixed one: all or none',
    policies: [
      slidingWindow({ name: 'any', limit: 3, windowMs: 1000 }),
      fixedWindow({ name: 'each', limit: 2, windowMs: 1000 }),
    ],
    steps: at(900, 950, 999, 1000, 1001, 1900, 1950, 2000, 2000),
  },
]
