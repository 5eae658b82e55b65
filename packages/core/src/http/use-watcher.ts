import { warnOnce } from './warn.ts'

const MADE_PER_REQUEST =
  'Limiters are made while requests are handled, and asked once each. A limiter that is made for each request starts with full buckets each time: make it once, beside the app.'
const COUNTED_TWICE =
  'One limiter has seen one request twice and counted it twice. Mount it once, or give each place a limiter of its own.'

/** So many limiters that were made, asked at once, and never again are a habit; one for each tenant is not. */
const HABIT = 10
/** How many requests of a limiter are looked at: what is mounted wrongly is so from the first on. */
const LOOKS = 100

let askedOnce = 0

/** Notices a limiter that is likely not used as it is meant. Told of each request that it is asked about. */
export function createUseWatcher(): (ctx: unknown) => void {
  let looks = 0
  let isNew = true
  let wasAskedAtOnce = false
  let last: unknown
  void Promise.resolve().then(() => (isNew = false))

  return (ctx) => {
    if (looks === LOOKS) return
    looks += 1
    if (looks === 1 && isNew) {
      wasAskedAtOnce = true
      askedOnce += 1
      if (askedOnce === HABIT) warnOnce('TICKBUCKET_MADE_PER_REQUEST', MADE_PER_REQUEST)
    }
    if (looks === 2 && wasAskedAtOnce) askedOnce -= 1
    if (last === ctx) warnOnce('TICKBUCKET_COUNTED_TWICE', COUNTED_TWICE)
    // A request that has been answered must not be held for good.
    last = looks === LOOKS ? undefined : ctx
  }
}
