/** What a bucket holds `elapsedMs` after it held `ticks`: one token is `periodMs` ticks, `rate` flow in per ms. */
export function refilled(policy, ticks, elapsedMs) {
  return Math.min(policy.capacity * policy.periodMs, ticks + Math.floor(elapsedMs) * policy.rate)
}

const UNITS = { 1000: 'second', 60_000: 'minute', 3_600_000: 'hour', 86_400_000: 'day' }

/** `60 per minute`, or `7 per 13 s` where the period has no name. */
export function rateText({ rate, periodMs }) {
  return `${rate} per ${UNITS[periodMs] ?? `${periodMs / 1000} s`}`
}

/** Seconds with two digits, as a wait is read. */
export function secondsText(ms) {
  return `${(ms / 1000).toFixed(2)} s`
}
