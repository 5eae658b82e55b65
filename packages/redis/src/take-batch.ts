import type { Policy } from '@tickbucket/core'
import type { OwnTime } from './own-time.ts'
import { RedisStoreError } from './store-error.ts'

/** One take on its way to the server. */
export interface PendingTake {
  readonly cost: number
  readonly policies: readonly Policy[]
  /** The keys of its buckets, one for each policy. */
  readonly redisKeys: readonly string[]
  readonly resolve: (answer: TakeAnswer) => void
  readonly reject: (error: unknown) => void
}

/** What the server said of one take: the numbers of its buckets, one after another. */
export interface TakeAnswer {
  readonly allowed: boolean
  readonly numbers: readonly number[]
  /** When it was asked. */
  readonly sent: OwnTime
  /** How much of a millisecond the server's clock showed beside the whole ones, from 0 to below 1. */
  readonly fractionMs: number
}

/** The most buckets that one call decides: more would keep the server from others for too long. */
const MOST_BUCKETS = 128

/** How many numbers the script tells of a bucket of this shape. */
export function numbersOf({ shape }: Policy): number {
  return shape === 'sliding-window' ? 5 : 2
}

/** Takes in the order in which they came, in parts that one call may decide. */
export function partsOf(takes: readonly PendingTake[]): PendingTake[][] {
  const parts: PendingTake[][] = []
  let room = 0
  for (const take of takes) {
    room -= take.policies.length
    if (room < 0) {
      parts.push([])
      room = MOST_BUCKETS - take.policies.length
    }
    parts.at(-1)!.push(take)
  }
  return parts
}

/** The keys of a call that decides all of these takes, and its arguments behind deadline and clock. */
export function callOf(takes: readonly PendingTake[]): { keys: string[]; args: string[] } {
  const keys: string[] = []
  const args: string[] = []
  const told = new Map<Policy, string>()
  const asked: string[] = []
  for (const { cost, policies, redisKeys } of takes) {
    asked.push(String(cost), String(policies.length))
    for (let index = 0; index < policies.length; index += 1) {
      const policy = policies[index]!
      keys.push(redisKeys[index]!)
      let number = told.get(policy)
      if (number === undefined) {
        number = String(told.size + 1)
        told.set(policy, number)
        args.push(policy.shape, String(policy.capacity), String(policy.rate), String(policy.periodMs))
      }
      asked.push(number)
    }
  }
  return { keys, args: [String(told.size), ...args, ...asked] }
}

/**
 * Gives each take its part of the answer, whose first numbers are the time and the microseconds above
 * it. A take whose keys hold something else fails alone.
 */
export function settle(takes: readonly PendingTake[], numbers: readonly number[], sent: OwnTime): void {
  const fractionMs = numbers[1]! / 1000
  let at = 2
  for (const take of takes) {
    const end = endOf(take, numbers, at)
    if (numbers[at] === UNREADABLE) take.reject(unreadable(take))
    else take.resolve({ allowed: numbers[at] === 1, numbers: numbers.slice(at + 1, end), sent, fractionMs })
    at = end
  }
}

/** Whether an answer is whole: what else than our script would answer is not, such as a client's own idea of it. */
export function isWhole(takes: readonly PendingTake[], numbers: readonly number[]): boolean {
  const end = takes.reduce((at, take) => endOf(take, numbers, at), 2)
  return numbers.length === end && numbers.every((number) => Number.isFinite(number))
}

/** What the script says of a take that it could not decide. */
const UNREADABLE = -1

/** Where the part of a take that begins at `at` ends. */
function endOf({ policies }: PendingTake, numbers: readonly number[], at: number): number {
  if (numbers[at] === UNREADABLE) return at + 1
  return policies.reduce((sum, policy) => sum + numbersOf(policy), at + 1)
}

function unreadable({ redisKeys }: PendingTake): RedisStoreError {
  return new RedisStoreError(
    'REDIS_FAILED',
    `One of the keys ${redisKeys.join(', ')} holds what is no bucket. Delete it, or give the store another prefix.`,
  )
}
