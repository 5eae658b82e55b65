const given = new Set<string>()

/**
 * Tells the operator, once per process and code, of something that works but is likely not meant.
 * Through `process.emitWarning` where there is one; elsewhere it stays silent.
 */
export function warnOnce(code: string, message: string): void {
  if (given.has(code)) return
  given.add(code)
  const { process } = globalThis as { process?: { emitWarning?: (message: string, options: object) => void } }
  process?.emitWarning?.(message, { type: 'TickbucketWarning', code })
}
