import { deepStrictEqual } from 'node:assert'
import { summaryOf } from './bigint-model.ts'
import { type StoreCase, storeCase } from './store-case.ts'
import { vectors } from './vectors.ts'

/** Each golden vector as a case: a store must tell its answers to the letter. */
export const vectorCases: readonly StoreCase[] = vectors.map(({ name, policies, steps }) =>
  storeCase(
    `golden vector: ${policies[0]!.shape.replace('-', ' ')}: ${name}`,
    async ({ clock, take }) => {
      for (const { at, cost, repeat = { count: 1, everyMs: 0 }, allowed, readings } of steps) {
        for (let index = 0; index < repeat.count; index += 1) {
          clock.set(at + index * repeat.everyMs)
          const summary = summaryOf(await take(policies, { cost }))
          const isLast = index === repeat.count - 1
          const right = readings.map(({ ticks: _, retryAfterMs, delayMs = 0, ...reading }, policy) => ({
            policy: policies[policy]!.name,
            ...reading,
            retryAfterMs: retryAfterMs ?? Infinity,
            delayMs,
          }))
          deepStrictEqual(
            isLast ? summary : summary.allowed,
            isLast ? { allowed, readings: right } : allowed,
            `at ${clock()}`,
          )
        }
      }
    },
    policies.map(({ shape }) => shape),
  ),
)
