/** How many failures in a row mean that a server is down. */
const FAILURES = 5
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** A call that was allowed: how it ended must be told, once. */
export interface Attempt {
  succeeded(): void
  failed(now: number): void
}

/**
 * Keeps calls away from a server that is down, since each would cost its caller a whole timeout and
 * might still be carried out later. After a pause, one call alone may try; if it fails, the pause
 * doubles, up to two seconds. What fails that was under way before says nothing new.
 */
export interface Breaker {
  /** A call that may be made at this time, in milliseconds; `undefined`: none. */
  attempt(now: number): Attempt | undefined
}

/** `random` gives numbers from 0 to 1, so that many processes do not all try at once. */
export function createBreaker(random: () => number = Math.random): Breaker {
  let failures = 0
  let pauses = 0
  let closedUntil = 0
  let isTrying = false

  function succeeded(): void {
    failures = 0
    pauses = 0
    isTrying = false
  }

  function pause(now: number): void {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses)
    closedUntil = now + longest * (0.5 + random() / 2)
    pauses += 1
  }

  const usual: Attempt = {
    succeeded,
    failed(now) {
      if (failures >= FAILURES) return
      failures += 1
      if (failures === FAILURES) pause(now)
    },
  }
  const probe: Attempt = {
    succeeded,
    failed(now) {
      isTrying = false
      pause(now)
    },
  }

  return {
    attempt(now) {
      if (failures < FAILURES) return usual
      if (isTrying || now < closedUntil) return undefined
      isTrying = true
      return probe
    },
  }
}
