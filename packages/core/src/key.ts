import { show, TickbucketError } from './errors.ts'
import { sha256 } from './sha256.ts'

/** Longer keys are hashed: a header may hold 16 KiB, and a store keeps millions of keys. */
const LONGEST_PLAIN_KEY = 128
const HASHED = 'sha256:'

/**
 * The string under which a store keeps `key`: the key itself, or `sha256:` and 64 hex digits of a
 * hash of its UTF-16 code units. Hashed are keys of over 128 of them, keys that UTF-8 cannot tell
 * apart (lone surrogates), and keys that look like such a hash: so no two keys share one string.
 */
export function storeKey(key: string): string {
  if (key.length <= LONGEST_PLAIN_KEY && !key.startsWith(HASHED) && key.isWellFormed()) return key
  return HASHED + sha256(key)
}

/**
 * One key from several parts, such as a tenant and a user. No two lists of parts give the same key,
 * whatever characters the parts hold: `|` and `\` inside a part are escaped.
 *
 * @throws {TickbucketError} `INVALID_KEY` unless every part is a string.
 * @example
 * joinKey('tenant-7', 'alice') // 'tenant-7|alice'
 * joinKey('a|b', 'c')          // 'a\\|b|c', not joinKey('a', 'b|c')
 */
export function joinKey(first: string, ...rest: readonly string[]): string {
  return [first, ...rest].map(escaped).join('|')
}

function escaped(part: unknown): string {
  if (typeof part === 'string') return part.replace(/[\\|]/g, '\\$&')
  throw new TickbucketError(
    'INVALID_KEY',
    'part',
    part,
    `Each part of a key must be a string, not ${show(part)}.`,
  )
}
