import { type BucketState, type Decision, decide, type Policy, read, shapeOf } from '@tickbucket/core'
import type { OwnTime } from './own-time.ts'
import { DRIFT } from './server-time.ts'

export interface DenyCacheOptions {
  /** The most clients that are remembered. */
  readonly maxClients: number
  /** How long an answer may be used, whatever it says: what others reset is noticed then. */
  readonly maxAgeMs: number
}

/** What is learnt from: when an answer was asked for and came, and how far into its millisecond the server's clock was. */
interface Answered {
  readonly sent: OwnTime
  readonly received: OwnTime
  /** From 0 to below 1, cut to microseconds. */
  readonly fractionMs: number
}

/** What is cut off the microseconds of a clock, at the most, in milliseconds. */
const CUT_MS = 0.001

/**
 * Refuses again what the server would refuse again, without asking it. An answer tells what a bucket
 * held; others can only have taken from it since, so it holds no more than that and what has flowed
 * in. A take is refused here only if even so much is less than a token, hence never one that the
 * server would have allowed; and nothing can have been taken since, so that the wait that is told, for
 * the least that can have flowed in, is not too short.
 */
export interface DenyCache {
  /** A refusal, if it is certain; `undefined`: ask the server. */
  refuse(key: string, cost: number, policies: readonly Policy[], now: OwnTime): Decision | undefined
  /** Learns what the buckets of a key held, by an answer of that time. */
  learn(key: string, policies: readonly Policy[], states: readonly BucketState[], answered: Answered): void
  /** Forgets a key that has been reset; answers that are still under way are not learnt, whosever they are. */
  forget(key: string, now: OwnTime): void
}

interface Entry extends Answered {
  readonly policies: readonly Policy[]
  readonly states: readonly BucketState[]
}

export function denyCache({ maxClients, maxAgeMs }: DenyCacheOptions): DenyCache {
  /** By key one for each list of policies that is asked of it, oldest keys first. */
  const entries = new Map<string, Entry[]>()
  let forgotAt = -Infinity

  return {
    refuse(key, cost, policies, now) {
      const entry = entries.get(key)?.find((known) => samePolicies(known.policies, policies))
      if (entry === undefined) return undefined
      const passed = Math.max(now.mono - entry.sent.mono, now.wall - entry.sent.wall)
      if (passed > maxAgeMs) return undefined
      const atMost = Math.floor(entry.fractionMs + CUT_MS + passed * (1 + DRIFT))
      if (cost === 0 || waits(entry, atMost, 1).every((wait) => wait === 0)) return undefined
      const most = waits(entry, atMost, cost)
      const sinceAnswer = Math.max(0, Math.floor((now.mono - entry.received.mono) * (1 - DRIFT)))
      const least = later(entry, sinceAnswer)
      const longest = waits(entry, sinceAnswer, cost)
      const readings = policies.map((policy, index) =>
        read(policy, least[index]!, most[index] === 0 ? 0 : longest[index]!),
      )
      return decide(readings, 'cache')
    },

    learn(key, policies, states, answered) {
      const { sent, received } = answered
      if (sent.mono <= forgotAt) return
      const known = entries.get(key) ?? []
      const same = known.find((one) => samePolicies(one.policies, policies))
      if (same !== undefined && same.sent.mono > sent.mono) return
      const kept = known.filter((one) => one !== same && received.mono - one.sent.mono <= maxAgeMs)
      if (isSoonRefused(policies, states)) kept.push({ policies, states, ...answered })
      entries.delete(key)
      if (kept.length === 0) return
      if (entries.size >= maxClients) entries.delete(entries.keys().next().value!)
      entries.set(key, kept)
    },

    forget(key, now) {
      entries.delete(key)
      forgotAt = now.mono
    },
  }
}

/** Only who has less than a token left is, for certain; and what a log says is known to the server alone. */
function isSoonRefused(policies: readonly Policy[], states: readonly BucketState[]): boolean {
  return (
    !policies.some((policy) => shapeOf(policy).keepsLog) &&
    policies.some((policy, index) => shapeOf(policy).waitMs(policy, states[index]!, 1) > 0)
  )
}

/** The buckets of an entry when `ms` have passed and nothing was taken. */
function later({ policies, states }: Entry, ms: number): BucketState[] {
  return states.map((known, index) => {
    const state = { ...known }
    shapeOf(policies[index]!).refill(policies[index]!, state, state.last + ms)
    return state
  })
}

/** How long each bucket of an entry would have to be waited for, when `ms` have passed. */
function waits(entry: Entry, ms: number, cost: number): number[] {
  return later(entry, ms).map((state, index) =>
    shapeOf(entry.policies[index]!).waitMs(entry.policies[index]!, state, cost),
  )
}

/** Whether two lists promise the same: two versions of a service may name one policy with other numbers. */
function samePolicies(some: readonly Policy[], others: readonly Policy[]): boolean {
  return (
    some === others ||
    (some.length === others.length &&
      some.every((policy, index) => {
        const other = others[index]!
        return (
          policy === other ||
          (policy.shape === other.shape &&
            policy.name === other.name &&
            policy.capacity === other.capacity &&
            policy.rate === other.rate &&
            policy.periodMs === other.periodMs)
        )
      }))
  )
}
