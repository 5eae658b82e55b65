import { show, TickbucketError } from '../errors.ts'
import { sha256 } from '../sha256.ts'

const NAME = /^[a-z][a-z0-9_.-]{0,63}$/

/** @throws {TickbucketError} `INVALID_OPTION` unless it is a name, or left out. */
export function policyName(name: unknown): string {
  if (name === undefined) return 'default'
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new TickbucketError(
    'INVALID_OPTION',
    'name',
    name,
    `'name' must match ${NAME.source}, which ${show(name)} does not.`,
  )
}

/**
 * A policy's name made of any text, such as a route: readable, and another one for another text but once in
 * four billion.
 *
 * @example
 * policyNameOf('POST /login') // 'post-login.' and eight hex digits
 */
export function policyNameOf(text: string): string {
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-$/g, '')
  return `${readable.slice(0, 40) || 'policy'}.${sha256(text).slice(0, 8)}`
}
