import { systemClock } from '../clock.ts'

// What every runtime has, whatever else it has: this package is checked without the types of any.
declare function setTimeout(run: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void

/**
 * A place in its client's queue. Calling it takes the place: `go` is called when its turn has come.
 * What it returns gives the place up, for a client that has gone; after `go` that does nothing.
 */
export type Pause = (go: () => void) => () => void

/** Lets requests wait, each client's in the order in which they came. */
export interface Pacer {
  /** A pause of `delayMs`, no shorter than what the same client waits for already; `undefined`: none. */
  pause(key: string, delayMs: number): Pause | undefined
}

interface Waiting {
  readonly queue: Queue
  readonly due: number
  readonly go: () => void
  before: Waiting | undefined
  behind: Waiting | undefined
  isIn: boolean
}

interface Queue {
  readonly key: string
  first: Waiting | undefined
  last: Waiting | undefined
  timer: unknown
}

/** A timer asked for more than this fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * One queue and one timer for each client that waits, and nothing for any other. First in, first out,
 * whatever is due when: a clock and a store's clock, read one after the other, may disagree by a
 * millisecond about who is first. The clock is the system's, as these are waits of real requests.
 */
export function createPacer(): Pacer {
  const queues = new Map<string, Queue>()

  function enter(key: string, due: number, go: () => void): () => void {
    let queue = queues.get(key)
    if (queue === undefined)
      queues.set(key, (queue = { key, first: undefined, last: undefined, timer: undefined }))
    const { last } = queue
    const waiting: Waiting = { queue, due, go, before: last, behind: undefined, isIn: true }
    if (last === undefined) queue.first = waiting
    else last.behind = waiting
    queue.last = waiting
    if (queue.timer === undefined) arm(queue)
    return () => leave(waiting)
  }

  function leave(waiting: Waiting): void {
    if (!waiting.isIn) return
    waiting.isIn = false
    const { queue, before, behind } = waiting
    if (before === undefined) queue.first = behind
    else before.behind = behind
    if (behind === undefined) queue.last = before
    else behind.before = before
    if (queue.first !== undefined) return
    queues.delete(queue.key)
    clearTimeout(queue.timer)
  }

  function arm(queue: Queue): void {
    const { first } = queue
    queue.timer =
      first === undefined
        ? undefined
        : setTimeout(() => release(queue), Math.min(Math.max(1, first.due - systemClock()), LONGEST_TIMER))
  }

  /** Lets go on whose turn has come; one that throws stops none behind it. */
  function release(queue: Queue): void {
    const now = systemClock()
    try {
      while (queue.first !== undefined && queue.first.due <= now) {
        const { first } = queue
        leave(first)
        first.go()
      }
    } finally {
      arm(queue)
    }
  }

  return {
    pause(key, delayMs) {
      if (delayMs === 0 && (queues.size === 0 || !queues.has(key))) return undefined
      const due = systemClock() + delayMs
      return (go) => enter(key, due, go)
    },
  }
}
