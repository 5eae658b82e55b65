import { leakyBucket, type Policy, slidingWindow, tokenBucket } from '@tickbucket/core'
import { at, DAY, MINUTE, MOST, type Story, times } from './story.ts'

function leaky(queue: number, rate: number, after = 0, periodMs = 1000): readonly Policy[] {
  return [leakyBucket({ queue, rate, periodMs, after })]
}

/** What the golden vectors of the leaky bucket tell. */
export const leakyBucketStories: readonly Story[] = [
  {
    name: 'one goes on, five wait, the seventh is refused',
    policies: leaky(5, 10),
    steps: at(0, 0, 0, 0, 0, 0, 0),
  },
  {
    name: 'no queue: what comes too soon is refused, and nobody waits',
    policies: leaky(0, 10),
    steps: at(0, 0, 99, 100, 150, 200),
  },
  {
    name: 'two of the queue go on without delay',
    policies: leaky(4, 1, 2),
    steps: at(0, 0, 0, 0, 0, 0, 1000, 2500),
  },
  {
    name: 'all of the queue go on without delay',
    policies: leaky(3, 1, 3),
    steps: at(0, 0, 0, 0, 0, 1000, 1000),
  },
  {
    name: 'whoever comes at the rate never waits',
    policies: leaky(5, 10),
    steps: [times(50, 0, 100), ...at(4999, 5000)],
  },
  {
    name: 'a part of a token is waited for',
    policies: leaky(3, 7, 0, 13_000),
    steps: at(0, 0, 1, 1857, 1858, 9000),
  },
  { name: 'a delay is rounded up', policies: leaky(3, 3), steps: at(0, 0, 0, 0, 333, 334) },
  {
    name: 'a cost waits for what came before it, and what comes after waits for the cost',
    policies: leaky(9, 10),
    steps: [
      { at: 0, cost: 4 },
      { at: 0, cost: 1 },
      { at: 0, cost: 6 },
      { at: 0, cost: 5 },
      { at: 1000, cost: 10 },
      { at: 1000, cost: 11 },
      { at: 1000, cost: 0 },
    ],
  },
  {
    name: 'a refusal takes no place in the queue',
    policies: leaky(2, 1),
    steps: [times(3, 0), times(20, 0), ...at(999, 1000, 1000)],
  },
  {
    name: 'what was left alone for a day is empty, and no more',
    policies: leaky(2, 60, 1, MINUTE),
    steps: [times(3, 0), ...at(DAY, DAY, DAY, DAY)],
  },
  {
    name: 'a clock that steps back lets nobody overtake',
    policies: leaky(4, 1),
    steps: at(10_000, 10_000, 4000, 10_000, 9000, 10_999, 11_000),
  },
  {
    name: 'the longest queue of all',
    policies: leaky(MOST - 1, 1, 5, 1),
    steps: [
      { at: 0, cost: MOST },
      { at: 0, cost: 1 },
      { at: 7, cost: 7 },
      { at: MOST, cost: 1 },
      { at: MOST, cost: 1 },
    ],
  },
  {
    name: 'a leaky bucket before a token bucket and a sliding window',
    policies: [
      leakyBucket({ name: 'paced', queue: 5, perSecond: 10 }),
      tokenBucket({ name: 'burst', capacity: 4, perSecond: 1 }),
      slidingWindow({ name: 'minute', perMinute: 5 }),
    ],
    steps: [times(4, 0), ...at(0, 50, 1000, 1000, 2000, 59_999, 60_000)],
  },
]
