import type { Decision } from '../decision.ts'
import type { Policy } from '../policy.ts'

/**
 * Whoever keeps buckets. What an author of a store owes; the cases of `@tickbucket/conformance` prove
 * what of it can be seen from outside:
 *
 * - A client that is not known has a full bucket under every policy.
 * - `take` is atomic: however many run at once, together they take what one after another could.
 * - It takes `cost` tokens from the bucket of every policy, or from none.
 * - A refusal is a value and spends nothing. Throwing or rejecting means that the store could not
 *   answer; a store never turns one into the other.
 * - `cost` is a whole number from 0. With 0 it reads: nothing is spent, and a client that was not
 *   known stays unknown.
 * - A bucket belongs to a key and a policy's name. Any string is a key, and no two keys share.
 * - Its time never runs back, or adds nothing where it does.
 * - A bucket may be forgotten when it is full. Where room forces more, that is counted.
 *
 * `policies` is never empty and is valid; the store need not check it.
 */
export interface Store {
  /** Takes `cost` tokens for `key` under all of `policies`, or says how long to wait. */
  take(key: string, cost: number, policies: readonly Policy[]): Decision | Promise<Decision>
  /** Forgets `key` under `policies`: its buckets are full again. */
  reset(key: string, policies: readonly Policy[]): void | Promise<void>
}

/** A store that answers at once. Whatever stands on one answers at once, too. */
export interface SyncStore extends Store {
  take(key: string, cost: number, policies: readonly Policy[]): Decision
  reset(key: string, policies: readonly Policy[]): void
}

/** The methods without which something is not a store. */
export function isStore(value: unknown): value is Store {
  if (typeof value !== 'object' || value === null) return false
  const { take, reset } = value as Partial<Store>
  return typeof take === 'function' && typeof reset === 'function'
}
