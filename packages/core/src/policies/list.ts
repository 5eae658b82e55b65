import { show, TickbucketError } from '../errors.ts'
import type { Policy, ShapeName } from '../policy.ts'
import { leakyBucket } from './leaky-bucket.ts'
import { isMade } from './make.ts'
import { tokenBucket } from './token-bucket.ts'
import { fixedWindow, slidingWindow } from './window.ts'

/** A list of policies as a caller gives it, checked: at least one, each whole, no name twice. */
export function asPolicies(list: unknown): readonly Policy[] {
  if (!Array.isArray(list) || list.length === 0) {
    throw new TickbucketError(
      'INVALID_OPTION',
      'policies',
      list,
      `'policies' must be a list of at least one policy, not ${show(list)}. Make them with ${MAKERS}.`,
    )
  }
  const policies = Array.from(list, asPolicy)
  for (const [index, { name }] of policies.entries()) {
    if (policies.findIndex((other) => other.name === name) !== index) {
      throw new TickbucketError(
        'DUPLICATE_POLICY',
        'policies',
        name,
        `Two policies are named '${name}'. Their buckets would be one: give each a name of its own.`,
      )
    }
  }
  return Object.freeze(policies)
}

const MAKERS = 'tokenBucket(), leakyBucket(), slidingWindow() or fixedWindow()'

/** Makes a policy of its own data: what another copy of this package made, or somebody by hand. */
const REMAKE: { readonly [shape in ShapeName]: (policy: Policy) => Policy } = {
  'token-bucket': ({ shape: _, ...options }) => tokenBucket(options),
  'leaky-bucket': ({ shape: _, capacity, ...options }) => leakyBucket({ ...options, queue: capacity - 1 }),
  'sliding-window': ({ shape: _, ...numbers }) => slidingWindow(windowOptions(numbers)),
  'fixed-window': ({ shape: _, ...numbers }) => fixedWindow(windowOptions(numbers)),
}

function windowOptions({ capacity, rate, periodMs, ...others }: Omit<Policy, 'shape'>) {
  if (rate === capacity) return { ...others, limit: rate, windowMs: periodMs }
  throw new TickbucketError(
    'INVALID_OPTION',
    'policies',
    rate,
    `A window's capacity and rate are both its limit, not ${show(capacity)} and ${show(rate)}. Make each with ${MAKERS}.`,
  )
}

function asPolicy(value: unknown): Policy {
  const shape: unknown =
    typeof value === 'object' && value !== null ? (value as Partial<Policy>).shape : undefined
  if (typeof shape !== 'string' || !Object.hasOwn(REMAKE, shape)) {
    throw new TickbucketError(
      'INVALID_OPTION',
      'policies',
      value,
      `'policies' holds ${show(value)}, which is not a policy. Make each with ${MAKERS}.`,
    )
  }
  return isMade(value as object) ? (value as Policy) : REMAKE[shape as ShapeName](value as Policy)
}
