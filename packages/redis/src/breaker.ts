/** How many failures in a row mean that a server is down. */
const FAILURES = 5
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/**
 * Keeps calls away from a server that is down, since each would cost its caller a whole timeout and
 * might still be carried out later. After a pause, one call alone may try; if it fails, the pause
 * doubles, up to two seconds.
 */
export interface Breaker {
  /** Whether a call may be made at this time, in milliseconds. What it says yes to must be told. */
  allows(now: number): boolean
  succeeded(): void
  failed(now: number): void
}

/** `random` gives numbers from 0 to 1, so that many processes do not all try at once. */
export function createBreaker(random: () => number = Math.random): Breaker {
  let failures = 0
  let pauses = 0
  let closedUntil = 0
  let isTrying = false

  return {
    allows(now) {
      if (failures < FAILURES) return true
      if (isTrying || now < closedUntil) return false
      isTrying = true
      return true
    },
    succeeded() {
      failures = 0
      pauses = 0
      isTrying = false
    },
    failed(now) {
      failures += 1
      isTrying = false
      if (failures < FAILURES) return
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses)
      closedUntil = now + pause * (0.5 + random())
      pauses += 1
    },
  }
}
