import type { Policy } from '@tickbucket/core'
import type { OwnTime } from './own-time.ts'
import { RedisStoreError } from './store-error.ts'

/** One take on its way to the server, or the order to forget buckets. */
export interface PendingTake {
  /** Whole tokens from 0; or `FORGET`. */
  readonly cost: number
  readonly policies: readonly Policy[]
  /** The keys of its buckets, one for each policy. */
  readonly redisKeys: readonly string[]
  readonly resolve: (answer: TakeAnswer) => void
  readonly reject: (error: unknown) => void
}

/** The cost that stands for forgetting, so that it keeps its place among takes. */
export const FORGET = -1

/** What the server said of one take: the numbers of its buckets, one after another. */
export interface TakeAnswer {
  readonly allowed: boolean
  readonly numbers: readonly number[]
  /** When it was asked. */
  readonly sent: OwnTime
  /** What the server's clock showed: whole milliseconds, and how much of one beside them, from 0 to below 1. */
  readonly serverNow: number
  readonly fractionMs: number
}

/**
 * The most buckets that one call decides: few enough that the server works on one call while this
 * process works on the answers of another, and keeps nobody waiting for long.
 */
const MOST_BUCKETS = 32

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

/** What the script says in place of 1 and 0 of a take that it could not decide. */
const UNREADABLE = -1
const UNWRITABLE = -2

/** What an answer says of one take. */
interface Told {
  readonly verdict: number
  readonly numbers: readonly number[]
  readonly reason: string
}

/**
 * Gives each take its part of an answer, whose first numbers are the time and the microseconds above
 * it; one that could not be decided fails alone. Gives nothing, and `false`, if it is no such answer.
 */
export function settle(takes: readonly PendingTake[], answer: readonly unknown[], sent: OwnTime): boolean {
  const serverNow = Number(answer[0])
  const fractionMs = Number(answer[1]) / 1000
  const told = toldOf(takes, answer)
  if (told === undefined || !Number.isFinite(serverNow + fractionMs)) return false
  for (let index = 0; index < takes.length; index += 1) {
    const take = takes[index]!
    const { verdict, numbers, reason } = told[index]!
    if (verdict === UNREADABLE) take.reject(unreadable(take))
    else if (verdict === UNWRITABLE)
      take.reject(new RedisStoreError('REDIS_FAILED', `Redis failed: ${reason}`))
    else take.resolve({ allowed: verdict === 1, numbers, sent, serverNow, fractionMs })
  }
  return true
}

function toldOf(takes: readonly PendingTake[], answer: readonly unknown[]): Told[] | undefined {
  const all: Told[] = []
  let at = 2
  for (const { cost, policies } of takes) {
    const verdict = Number(answer[at])
    const isDecided = verdict === 0 || verdict === 1
    if (!isDecided && verdict !== UNREADABLE && verdict !== UNWRITABLE) return undefined
    const end =
      isDecided && cost !== FORGET
        ? policies.reduce((sum, policy) => sum + numbersOf(policy), at + 1)
        : at + 1
    const numbers = answer.slice(at + 1, end).map(Number)
    if (!numbers.every(Number.isFinite)) return undefined
    all.push({ verdict, numbers, reason: String(answer[end]) })
    at = verdict === UNWRITABLE ? end + 1 : end
  }
  return at === answer.length ? all : undefined
}

function unreadable({ redisKeys }: PendingTake): RedisStoreError {
  return new RedisStoreError(
    'REDIS_FAILED',
    `One of the keys ${redisKeys.join(', ')} holds what is no bucket. Delete it, or give the store another prefix.`,
  )
}
