import { expect, test } from 'vitest'
import { type Attempt, createBreaker } from '../src/breaker.ts'

/** The longest pauses, so that they can be told to the millisecond. */
const longest = (): number => 1

test.each([5, 6, 10, 1000])('%i calls that fail together are one outage, of one short pause', (calls) => {
  const breaker = createBreaker(longest)
  const attempts = Array.from({ length: calls }, () => breaker.attempt(0)!)
  for (const attempt of attempts) attempt.failed(100)
  expect(breaker.attempt(199)).toBeUndefined()
  expect(breaker.attempt(200)).toBeDefined()
})

test('each probe that fails doubles the pause, up to two seconds, and one that does not ends it', () => {
  const breaker = createBreaker(longest)
  let now = 0
  for (let count = 0; count < 5; count += 1) breaker.attempt(now)!.failed(now)
  const pauses: number[] = []
  let probe: Attempt | undefined
  for (let count = 0; count < 7; count += 1) {
    const since = now
    while ((probe = breaker.attempt(now)) === undefined) now += 1
    expect(breaker.attempt(now)).toBeUndefined()
    pauses.push(now - since)
    if (count < 6) probe.failed(now)
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 2000, 2000])
  probe!.succeeded()
  expect(breaker.attempt(now)).toBeDefined()
})

test('what was sent before the pause and fails late does not stand for the probe', () => {
  const breaker = createBreaker(longest)
  const late = breaker.attempt(0)!
  for (let count = 0; count < 5; count += 1) breaker.attempt(0)!.failed(0)
  const probe = breaker.attempt(100)!
  late.failed(101)
  expect(breaker.attempt(101)).toBeUndefined()
  probe.succeeded()
  expect(breaker.attempt(102)).toBeDefined()
})

test('four failures and a success, again and again, are no outage', () => {
  const breaker = createBreaker(longest)
  for (let round = 0; round < 10; round += 1) {
    for (let count = 0; count < 4; count += 1) breaker.attempt(round)!.failed(round)
    breaker.attempt(round)!.succeeded()
  }
  expect(breaker.attempt(10)).toBeDefined()
})
