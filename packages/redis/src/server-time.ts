/** How much faster or slower than ours a server's clock may run: more than ntpd or chrony would make it. */
export const DRIFT = 1 / 512

/**
 * What is known of a server's clock from its answers: the latest that it can show. Times are
 * milliseconds; ours are of a clock that never runs back.
 */
export interface ServerTime {
  /** Learns from an answer: the server's time in it, and ours when it was asked and when it came. */
  learn(serverNow: number, sentAt: number, receivedAt: number): void
  /** The latest that the server's clock can show at our time `at`; `undefined` if nothing is known. */
  latestAt(at: number): number | undefined
}

export function createServerTime(): ServerTime {
  let known: { readonly offset: number; readonly at: number } | undefined

  function latestAt(at: number): number | undefined {
    return known === undefined ? undefined : Math.ceil(at + known.offset + (at - known.at) * DRIFT)
  }

  return {
    latestAt,
    learn(serverNow, sentAt, receivedAt) {
      // The server read its clock after it was asked, and cut off the part of a millisecond.
      const latest = serverNow + 1
      const isTighter = latest <= (latestAt(sentAt) ?? Infinity)
      const hasJumped = serverNow > (latestAt(receivedAt) ?? -Infinity)
      if (isTighter || hasJumped) known = { offset: latest - sentAt, at: sentAt }
    },
  }
}
