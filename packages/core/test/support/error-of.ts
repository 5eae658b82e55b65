import { TickbucketError } from '@tickbucket/core'

/** The error of this library that `run` throws; anything else fails the test. */
export function errorOf(run: () => unknown): TickbucketError {
  try {
    run()
  } catch (error) {
    if (error instanceof TickbucketError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
