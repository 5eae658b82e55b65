import { setImmediate } from 'node:timers/promises'

/**
 * The codes of the warnings that the process gives while `run` runs. What is given once per process
 * is seen once: load the adapter anew for each run.
 *
 * @example
 * const codes = await warningsOf(() => fetch(url).then(() => undefined)) // ['TICKBUCKET_PROXY_NOT_TRUSTED']
 */
export async function warningsOf(run: () => Promise<void>): Promise<string[]> {
  const codes: string[] = []
  const onWarning = (warning: Error & { code?: string }): number => codes.push(warning.code ?? warning.name)
  process.on('warning', onWarning)
  try {
    await run()
    await setImmediate()
  } finally {
    process.off('warning', onWarning)
  }
  return codes
}
