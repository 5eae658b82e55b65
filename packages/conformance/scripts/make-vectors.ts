import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Policy, tokenBucket } from '@tickbucket/core'
import { createModel, type Model, type SummedReading } from '../src/bigint-model.ts'
import type { Vector, VectorStep } from '../src/vectors.ts'
import { stories, type Story } from './stories.ts'

const HOW_TO_READ = [
  'Each vector is one client, first seen at its first step, under one or more token buckets.',
  'A policy: `capacity` tokens at most, of which `rate` flow in evenly per `periodMs`; one token is `periodMs` ticks.',
  'A step: at the clock `at` (ms) take `cost` tokens from every policy, or from none; `repeat` takes `count` times in all, `everyMs` apart.',
  '`allowed` is the answer to each of its takes. `readings` tell each policy after the last: the ticks in its bucket, whole tokens,',
  'ms until this cost would pass (0: it did; null: never), ms until one more token, ms until full.',
  'A step back of the clock adds nothing. Every number is a whole one below 2^53.',
]

/** The text of `vectors/token-bucket.json`: every story, with the answers of the model. */
export function vectorsText(): string {
  const vectors = stories.map((story) => JSON.stringify(told(story)))
  return `{\n  "howToRead": ${JSON.stringify(HOW_TO_READ, null, 2)},\n  "vectors": [\n    ${vectors.join(',\n    ')}\n  ]\n}\n`
}

function told({ name, policies: options, steps }: Story): Vector {
  const policies = options.map(tokenBucket)
  const model = createModel('bucket')
  return { name, policies, steps: steps.map((step) => answered(step, policies, model)) }
}

function answered(step: Story['steps'][number], policies: readonly Policy[], model: Model): VectorStep {
  const { count, everyMs } = step.repeat ?? { count: 1, everyMs: 0 }
  const answers = Array.from({ length: count }, (_, index) =>
    model.take('client', step.cost, policies, step.at + index * everyMs),
  )
  const last = answers.at(-1)!
  if (answers.some(({ allowed }) => allowed !== last.allowed))
    throw new Error(`the takes at ${step.at} are not all answered alike`)
  const { repeat, ...once } = step
  return {
    ...(count === 1 ? once : { ...once, repeat: repeat! }),
    allowed: last.allowed,
    readings: last.readings.map((reading, index) => readingOf(reading, policies[index]!, model)),
  }
}

function readingOf(reading: SummedReading, policy: Policy, model: Model): VectorStep['readings'][number] {
  const { remaining, retryAfterMs, nextTokenAfterMs, resetAfterMs } = reading
  return {
    ticks: Number(model.ticks('client', policy) ?? BigInt(policy.capacity) * BigInt(policy.periodMs)),
    remaining,
    retryAfterMs: retryAfterMs === Infinity ? null : retryAfterMs,
    nextTokenAfterMs,
    resetAfterMs,
  }
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '../vectors/token-bucket.json'), vectorsText())
}
