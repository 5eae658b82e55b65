/** Two clocks of this process, in milliseconds: one that never runs back, and one that goes on while it is suspended. */
export interface OwnTime {
  readonly mono: number
  readonly wall: number
}

/** The time by which answers of a server are waited for, and aged. */
export function ownTime(): OwnTime {
  return { mono: performance.now(), wall: Date.now() }
}
