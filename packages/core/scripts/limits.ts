import { fixedWindow, leakyBucket, type Policy, slidingWindow, tokenBucket } from '@tickbucket/core'

/** 100 a minute, in the words of each shape, as docs/choosing-a-limit.md has them. */
export const LIMITS: Readonly<Record<string, Policy>> = {
  'tokenBucket({ capacity: 20, perMinute: 100 })': tokenBucket({ capacity: 20, perMinute: 100 }),
  'tokenBucket({ capacity: 100, perMinute: 100 })': tokenBucket({ capacity: 100, perMinute: 100 }),
  'leakyBucket({ queue: 20, perMinute: 100 })': leakyBucket({ queue: 20, perMinute: 100 }),
  'slidingWindow({ perMinute: 100 })': slidingWindow({ perMinute: 100 }),
  'fixedWindow({ perMinute: 100 })': fixedWindow({ perMinute: 100 }),
}

/** Those that are drawn: one of each shape. */
export const DRAWN: readonly string[] = Object.keys(LIMITS).filter((call) => !call.includes('capacity: 100'))
