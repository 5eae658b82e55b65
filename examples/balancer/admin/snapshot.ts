import type { Policy, Reading } from '@tickbucket/core'
import type { BackendServer } from '../backend.ts'
import type { Backend } from '../backends.ts'
import type { Balancer } from '../balancer.ts'
import type { Ledger, SecondCounts } from '../ledger.ts'
import { type Scenario, senderAt, type Traffic, type WireAnswer } from '../traffic.ts'

/** Everything that the page shows, as of one moment. */
export interface Snapshot {
  readonly policies: readonly Policy[]
  readonly clients: readonly ClientView[]
  /** How many clients came of late, those that are not listed included. */
  readonly clientCount: number
  readonly seconds: readonly SecondCounts[]
  readonly backends: readonly Backend[]
  readonly running: readonly Scenario[]
  readonly answers: readonly WireAnswer[]
  readonly outcomes: readonly { id: number; text: string }[]
}

interface ClientView {
  readonly key: string
  readonly sender: string | null
  readonly allowed: number
  readonly refused: number
  /** What each policy's bucket holds, in ticks. */
  readonly ticks: readonly number[]
}

const SHOWN_CLIENTS = 40
const SHOWN_SECONDS = 61

export interface Shown {
  readonly balancer: Balancer
  readonly ledger: Ledger
  readonly traffic: Traffic
  /** The backends themselves, so that the page can kill one and see what happens. */
  readonly servers: readonly BackendServer[]
}

export async function takeSnapshot({ balancer, ledger, traffic }: Shown): Promise<Snapshot> {
  const limiter = balancer.limits?.limiter
  const clients = await Promise.all(
    ledger.clients(SHOWN_CLIENTS).map(async (counts) => {
      const sender = senderAt(counts.key) ?? null
      try {
        const decision = await limiter?.peek(counts.key)
        return { ...counts, sender, ticks: decision?.readings.map(ticksOf) ?? [] }
      } catch {
        // The store does not answer, so nobody knows.
        return { ...counts, sender, ticks: [] }
      }
    }),
  )
  return {
    policies: limiter?.policies ?? [],
    clients,
    clientCount: ledger.size(),
    seconds: ledger.seconds(SHOWN_SECONDS),
    backends: balancer.backends.all,
    running: traffic.running(),
    answers: traffic.answers(),
    outcomes: traffic.outcomes(),
  }
}

/** Exact where `rate` divides `periodMs`; else less than one millisecond's ticks below. */
function ticksOf({ policy, resetAfterMs }: Reading): number {
  return Math.max(0, policy.capacity * policy.periodMs - resetAfterMs * policy.rate)
}
