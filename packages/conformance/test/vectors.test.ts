import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshState, take } from '@tickbucket/core'
import { expect, test } from 'vitest'
import { FILES, vectorsText } from '../scripts/make-vectors.ts'
import { summaryOf, vectors } from '../src/index.ts'
import { vectorCases } from '../src/vector-cases.ts'

const SHAPES = Object.keys(FILES) as (keyof typeof FILES)[]

test.each(SHAPES)(
  '%s.json is what the model tells: `node --conditions=@tickbucket/source packages/conformance/scripts/make-vectors.ts`',
  (shape) => {
    const path = join(import.meta.dirname, `../vectors/${shape}.json`)
    expect(readFileSync(path, 'utf8')).toBe(vectorsText(shape))
  },
)

test('each vector has a name of its own within its shape, which its case bears, too', () => {
  const names = vectorCases.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('the seed is what was worked out by hand', () => {
  const [seed] = vectors
  expect(
    seed?.steps.map(({ at, allowed, readings: [reading] }) => [
      at,
      allowed,
      reading?.ticks,
      reading?.remaining,
      reading?.retryAfterMs,
    ]),
  ).toEqual([
    [0, true, 120_000, 2, 0],
    [0, true, 60_000, 1, 0],
    [0, true, 0, 0, 0],
    [400, false, 24_000, 0, 600],
    [1000, true, 0, 0, 0],
  ])
})

test('every number is a whole one below 2^53', () => {
  const numbers = JSON.stringify(vectors).match(/(?<=[:[,])-?\d[\d.eE+]*/g) ?? []
  expect(numbers.length).toBeGreaterThan(1000)
  expect(numbers.filter((text) => !Number.isSafeInteger(Number(text)))).toEqual([])
})

test.each(vectors)('the pure arithmetic: $policies.0.shape: $name', ({ policies, steps }) => {
  const states = policies.map((policy) => freshState(policy, steps[0]?.at ?? 0))
  for (const { at, cost, repeat = { count: 1, everyMs: 0 }, allowed, readings } of steps) {
    for (let index = 0; index < repeat.count; index += 1) {
      const decision = take(policies, states, at + index * repeat.everyMs, cost)
      expect(decision.allowed, `at ${at + index * repeat.everyMs}`).toBe(allowed)
      if (index < repeat.count - 1) continue
      const right = readings.map(({ ticks: _, delayMs = 0, ...reading }, policy) => ({
        policy: policies[policy]?.name,
        ...reading,
        delayMs,
        retryAfterMs: reading.retryAfterMs ?? Infinity,
      }))
      expect(summaryOf(decision).readings, `at ${at}`).toEqual(right)
      expect(states.map(({ ticks }) => ticks)).toEqual(readings.map(({ ticks }) => ticks))
    }
  }
})
