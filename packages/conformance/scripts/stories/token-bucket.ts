import { type Policy, tokenBucket } from '@tickbucket/core'
import { at, DAY, MINUTE, MOST, type Story, times } from './story.ts'

function bucket(capacity: number, rate: number, periodMs = MINUTE, name = 'default'): readonly Policy[] {
  return [tokenBucket({ name, capacity, rate, periodMs })]
}

const burst = tokenBucket({ name: 'burst', capacity: 10, perMinute: 600 })
const daily = tokenBucket({ name: 'daily', capacity: 20, perDay: 20 })

/** What the golden vectors of the token bucket tell; the first one is the seed. */
export const tokenBucketStories: readonly Story[] = [
  { name: 'capacity 3, 60 per minute', policies: bucket(3, 60), steps: at(0, 0, 0, 400, 1000) },
  {
    name: 'refused up to the last millisecond, and a refusal costs nothing',
    policies: bucket(3, 60),
    steps: [times(3, 0), times(1, 400), times(1, 999), times(1, 1000), times(5, 1000)],
  },
  { name: 'half a token is kept', policies: bucket(3, 60), steps: at(0, 500, 500, 500, 1000) },
  {
    name: 'a day of idling fills up to the capacity and no further',
    policies: bucket(3, 60),
    steps: [times(3, 0), times(3, DAY), times(1, DAY)],
  },
  {
    name: '1 per minute, polled every millisecond',
    policies: bucket(1, 1),
    steps: [times(1, 0), times(1000, 1, 1), times(200, 59_800, 1), times(1, MINUTE)],
  },
  {
    name: '1 per minute, read every millisecond',
    policies: bucket(1, 1),
    steps: [times(1, 0), times(1000, 1, 1, 0), times(200, 59_800, 1, 0), times(1, MINUTE)],
  },
  {
    name: '1 per minute, whole seconds of waiting',
    policies: bucket(1, 1),
    steps: at(0, 0, 1, 1000, 1001, 29_999, 30_000, 59_001, 59_999, 60_000),
  },
  { name: '7 per minute', policies: bucket(7, 7), steps: [times(7, 0), ...at(0, 571, 572, 8571, 8572)] },
  { name: '90 per minute', policies: bucket(5, 90), steps: [times(5, 0), ...at(0, 666, 667)] },
  { name: '59 per minute', policies: bucket(1, 59), steps: at(0, 0, 17, 1016, 1017) },
  {
    name: '6,000,000 per minute: a hundred a millisecond',
    policies: bucket(100, 6_000_000),
    steps: [times(100, 0), times(1, 0), times(100, 1), times(1, 1), times(100, 2)],
  },
  { name: '7 per 13 seconds', policies: bucket(1, 7, 13_000), steps: at(0, 0, 1857, 1858, 3714, 3715, 3716) },
  {
    name: '7 per 13 seconds, polled every millisecond',
    policies: bucket(2, 7, 13_000),
    steps: [times(2, 0), times(1857, 1, 1), times(1, 1858), times(1856, 1859, 1), times(1, 3715)],
  },
  {
    name: '5 per second, polled every millisecond',
    policies: bucket(5, 5, 1000),
    steps: [times(5, 0), times(199, 1, 1), times(1, 200), times(199, 201, 1), times(1, 400)],
  },
  {
    name: '1 per 10 seconds: the part of an interval is kept',
    policies: bucket(10, 1, 10_000),
    steps: [times(10, 0), times(2, 25_000), ...at(29_000, 30_000)],
  },
  { name: '1 a day', policies: bucket(1, 1, DAY), steps: at(0, 1, 43_200_000, 86_399_999, 86_400_000) },
  { name: '1 in thirty days', policies: bucket(1, 1, 30 * DAY), steps: at(0, 1, 30 * DAY - 1, 30 * DAY) },
  { name: '2,000,000,000 per second', policies: bucket(1, 2_000_000_000, 1000), steps: at(0, 0, 1, 1) },
  {
    name: 'the largest bucket of a minute',
    policies: bucket(150_119_987_579, 1),
    steps: [
      { at: 0, cost: 150_119_987_579 },
      ...at(59_999, 60_000),
      { at: 90_000, cost: 0 },
      { at: MOST, cost: 0 },
    ],
  },
  {
    name: 'the largest bucket of all',
    policies: bucket(MOST, 1, 1),
    steps: [
      { at: 0, cost: MOST },
      { at: 0, cost: 1 },
      { at: 1, cost: 1 },
      { at: MOST - 1, cost: 0 },
      { at: MOST, cost: MOST - 1 },
      { at: MOST, cost: 1 },
    ],
  },
  {
    name: 'the largest rate: a product that is not exact is still above the capacity',
    policies: bucket(2, MOST, 1000),
    steps: [{ at: 0, cost: 2 }, ...at(0, 1, 1), { at: 3_000_000, cost: 2 }, { at: MOST, cost: 2 }],
  },
  {
    name: 'a product just below and just above 2^53',
    policies: bucket(MOST, 4_503_599_627_370_495, 1),
    steps: [
      { at: 0, cost: MOST },
      { at: 1, cost: 0 },
      { at: 2, cost: 0 },
      { at: 3, cost: 0 },
    ],
  },
  {
    name: 'a cost of 0 reads',
    policies: bucket(2, 60),
    steps: [
      { at: 0, cost: 0 },
      { at: 0, cost: 2 },
      { at: 0, cost: 0 },
      { at: 999, cost: 0 },
      { at: 1000, cost: 0 },
      { at: 1000, cost: 1 },
    ],
  },
  {
    name: 'costs above one',
    policies: bucket(10, 30),
    steps: [
      { at: 0, cost: 8 },
      { at: 0, cost: 5 },
      { at: 5999, cost: 5 },
      { at: 6000, cost: 5 },
    ],
  },
  {
    name: 'a cost above the capacity can never pass',
    policies: bucket(5, 60),
    steps: [
      { at: 0, cost: 6 },
      { at: 0, cost: 5 },
      { at: DAY, cost: 6 },
      { at: DAY, cost: MOST },
      { at: DAY, cost: 5 },
    ],
  },
  {
    name: 'a clock that steps back adds nothing and locks nobody out',
    policies: bucket(5, 1, 1000),
    steps: [times(3, 100_000), ...at(89_000), times(1, 89_000), times(1, 89_000), ...at(100_999, 101_000)],
  },
  {
    name: 'old and new times in turn mint nothing',
    policies: bucket(2, 1, 1000),
    steps: [times(2, 10_000), ...at(9000, 10_000, 9000, 10_000, 9000, 10_000, 11_000, 11_000)],
  },
  {
    name: 'a step back to the epoch, and on from there',
    policies: bucket(2, 60),
    steps: [times(2, 10_000), ...at(4000, 5000, 0, 10_999, 11_000)],
  },
  {
    name: 'two policies: the second one refuses, the first one is not charged',
    policies: [burst, daily],
    steps: [times(10, 0), times(10, 1000), times(1, 1000), times(1, 1100), { at: 1100, cost: 0 }],
  },
  {
    name: 'two policies: the first one refuses, the second one is not charged',
    policies: [burst, daily],
    steps: [times(10, 0), times(3, 0), times(1, 100), { at: 100, cost: 0 }],
  },
  {
    name: 'two policies the other way round',
    policies: [daily, burst],
    steps: [times(10, 0), times(3, 0), times(10, 1000), times(1, 5000)],
  },
  {
    name: 'four policies of four periods',
    policies: [
      ...bucket(5, 5, 1000, 'p0'),
      ...bucket(20, 20, MINUTE, 'p1'),
      ...bucket(50, 50, 3_600_000, 'p2'),
      ...bucket(7, 60, DAY, 'p3'),
    ],
    steps: [
      { at: 0, cost: 5 },
      ...at(0, 200, 400, 400, 600),
      { at: 10_000, cost: 6 },
      { at: 10_000, cost: 0 },
    ],
  },
]
