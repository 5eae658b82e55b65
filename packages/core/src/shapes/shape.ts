import type { Policy } from '../policy.ts'

/**
 * What a store keeps for one client under one policy: two whole numbers, and for a few shapes a
 * log. A store that keeps them elsewhere may fill in and empty one object for all of its clients.
 */
export interface BucketState {
  /** What is left, in ticks: one token of a bucket is `periodMs` ticks, one of a window is one. */
  ticks: number
  /** The latest time at which it was touched, in milliseconds. Never moves back. */
  last: number
  /** What a shape that `keepsLog` needs beside; `undefined` for every other. */
  log: number[] | undefined
}

/**
 * The arithmetic of one kind of policy. Pure: time is an argument, and nothing is remembered but
 * in the state. A take is `refill`, then `waitMs`; and `charge` if no policy of the take waits.
 */
export interface Shape {
  /** Whether `state.log` must be kept, too. */
  readonly keepsLog: boolean
  /** Makes `state` the bucket of a client never seen before. */
  fill(policy: Policy, state: BucketState, now: number): void
  /** Lets the time up to `now` pass. A `now` before `state.last` changes nothing. */
  refill(policy: Policy, state: BucketState, now: number): void
  /** Whole milliseconds from `state.last` until `cost` tokens could be taken. 0: now; `Infinity`: never. */
  waitMs(policy: Policy, state: BucketState, cost: number): number
  /** Takes `cost` tokens. Only where `waitMs` is 0. */
  charge(policy: Policy, state: BucketState, cost: number): void
  /** Whole milliseconds that the take of `cost` tokens that was charged last is to wait before it goes on. */
  delayMs(policy: Policy, state: BucketState, cost: number): number
  /** Whole tokens left, rounded down. */
  remaining(policy: Policy, state: BucketState): number
  /** Whole milliseconds from `state.last` until one more whole token is there. 0 when full. */
  nextTokenAfterMs(policy: Policy, state: BucketState): number
  /** Whole milliseconds from `state.last` until the bucket is full, so that forgetting it changes nothing. */
  resetAfterMs(policy: Policy, state: BucketState): number
}
