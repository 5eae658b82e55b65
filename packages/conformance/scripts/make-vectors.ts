import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Policy, ShapeName } from '@tickbucket/core'
import { createModel, type Model, type SummedReading } from '../src/bigint-model.ts'
import type { Vector, VectorStep } from '../src/vectors.ts'
import { fixedWindowStories } from './stories/fixed-window.ts'
import { leakyBucketStories } from './stories/leaky-bucket.ts'
import { slidingWindowStories } from './stories/sliding-window.ts'
import type { Story } from './stories/story.ts'
import { tokenBucketStories } from './stories/token-bucket.ts'

/** What each file tells, and how a policy in it is to be read. */
export const FILES: { readonly [shape in ShapeName]: { stories: readonly Story[]; policy: string } } = {
  'token-bucket': {
    stories: tokenBucketStories,
    policy:
      'A policy: `capacity` tokens at most, of which `rate` flow in evenly per `periodMs`; one token is `periodMs` ticks.',
  },
  'leaky-bucket': {
    stories: leakyBucketStories,
    policy:
      'A policy: a token bucket, in which a take waits `delayMs` for all that was taken before it and has not flowed in again, but for `after` tokens.',
  },
  'sliding-window': {
    stories: slidingWindowStories,
    policy:
      'A policy: at most `capacity` tokens in any `periodMs`; one taken at t counts until t + periodMs - 1. One token is one tick.',
  },
  'fixed-window': {
    stories: fixedWindowStories,
    policy:
      'A policy: at most `capacity` tokens in each `periodMs`, counted from the time 0 on, both ways. One token is one tick.',
  },
}

function howToRead(policy: string): readonly string[] {
  return [
    'Each vector is one client, first seen at its first step, under one or more policies.',
    policy,
    'A step: at the clock `at` (ms) take `cost` tokens from every policy, or from none; `repeat` takes `count` times in all, `everyMs` apart.',
    '`allowed` is the answer to each of its takes. `readings` tell each policy after the last: the ticks that are left, whole tokens,',
    'ms until this cost would pass (0: it did; null: never), ms that the take is to wait (missing: 0), ms until one more token, ms until full.',
    'A step back of the clock adds nothing. Every number is a whole one within 2^53.',
  ]
}

/** The text of `vectors/SHAPE.json`: every story, with the answers of the model. */
export function vectorsText(shape: ShapeName): string {
  const { stories, policy } = FILES[shape]
  const vectors = stories.map((story) => JSON.stringify(told(story)))
  return `{\n  "howToRead": ${JSON.stringify(howToRead(policy), null, 2)},\n  "vectors": [\n    ${vectors.join(',\n    ')}\n  ]\n}\n`
}

function told({ name, policies, steps }: Story): Vector {
  const model = createModel('bucket')
  for (const policy of policies) model.know('client', policy, steps[0]!.at)
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
  const { remaining, retryAfterMs, delayMs, nextTokenAfterMs, resetAfterMs } = reading
  return {
    ticks: Number(model.ticks('client', policy)!),
    remaining,
    retryAfterMs: retryAfterMs === Infinity ? null : retryAfterMs,
    ...(delayMs === 0 ? {} : { delayMs }),
    nextTokenAfterMs,
    resetAfterMs,
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const shape of Object.keys(FILES) as ShapeName[])
    writeFileSync(join(import.meta.dirname, `../vectors/${shape}.json`), vectorsText(shape))
}
