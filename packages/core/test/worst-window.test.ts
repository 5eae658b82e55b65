import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fullestWindow, passedUnder, worstWindow } from '../scripts/adversary.ts'
import { LIMITS } from '../scripts/limits.ts'

const MINUTE = 60_000
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/choosing-a-limit.md'), 'utf8')

/** What theory allows in any window: a search that finds less has not searched well, one that finds more has found a fault. */
const BOUNDS: readonly (readonly [call: string, inMinute: number, inSecond: number])[] = [
  ['tokenBucket({ capacity: 20, perMinute: 100 })', 20 + 99, 20 + 1],
  ['tokenBucket({ capacity: 100, perMinute: 100 })', 100 + 99, 100 + 1],
  ['leakyBucket({ queue: 20, perMinute: 100 })', 100, 2],
  ['slidingWindow({ perMinute: 100 })', 100, 100],
  ['fixedWindow({ perMinute: 100 })', 2 * 100, 2 * 100],
]

test.each(BOUNDS)(
  'the worst that %s lets through is %i in a minute and %i in a second, and the page says so',
  (call, inMinute, inSecond) => {
    const policy = LIMITS[call]!
    const found = [worstWindow(policy, MINUTE), worstWindow(policy, 1000)]
    expect(found).toEqual([inMinute, inSecond])
    const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${call}\``)) ?? ''
    expect(row.split('|').slice(2, 4).map(Number)).toEqual(found)
  },
)

test('every limit of the page is searched, and in its text the pictures tell the same', () => {
  expect(BOUNDS.map(([call]) => call)).toEqual(Object.keys(LIMITS))
  const told = [...PAGE.matchAll(/: (\d+) in the worst minute\]/g)].map(([, count]) => Number(count))
  expect(told).toEqual([119, 100, 100, 200])
})

test('a token bucket reaches capacity + rate * window, a millisecond beyond the window', () => {
  const passed = passedUnder(LIMITS['tokenBucket({ capacity: 100, perMinute: 100 })']!, [
    { silentMs: 0, greedyMs: 2 * MINUTE },
  ])
  expect(fullestWindow(passed, MINUTE).count).toBe(199)
  expect(fullestWindow(passed, MINUTE + 1).count).toBe(200)
})

test('two bursts of a fixed window can be a millisecond apart', () => {
  const passed = passedUnder(LIMITS['fixedWindow({ perMinute: 100 })']!, [
    { silentMs: MINUTE - 1, greedyMs: 1 },
  ])
  expect(fullestWindow(passed, 2)).toEqual({ start: MINUTE - 1, count: 200 })
})

test('the search sees the fullest window, and where it begins', () => {
  expect(fullestWindow([], 10)).toEqual({ start: 0, count: 0 })
  expect(fullestWindow([0, 5, 10, 14, 15, 19, 20, 40], 10)).toEqual({ start: 10, count: 4 })
})
