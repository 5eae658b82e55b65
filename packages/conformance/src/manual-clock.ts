/** A clock that stands still until it is turned. */
export interface ManualClock {
  /** The time in milliseconds; a `Clock` that any store takes. */
  (): number
  /** Sets the time, forward or back. */
  set(ms: number): void
  /** Moves the time on by `ms`, or back if it is negative. */
  advance(ms: number): void
}

/**
 * For tests that let a limit pass without sleeping.
 *
 * @example
 * const clock = manualClock()
 * const app = createApp({ store: memoryStore({ clock }) })
 * clock.advance(1000)
 */
export function manualClock(startMs = 0): ManualClock {
  let now = startMs
  return Object.assign(() => now, {
    set(ms: number) {
      now = ms
    },
    advance(ms: number) {
      now += ms
    },
  })
}
