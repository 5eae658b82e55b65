import type { Policy } from '@tickbucket/core'

/**
 * The key of a bucket: `prefix{client}:policy:periodMs`, and for a window `:shape` behind it. The
 * client stands in the hash tag, so that all of its buckets live on one node of a cluster, and one
 * script decides them. Period and shape are what the state means: a policy that is given another of
 * either begins anew, and two versions of a service beside each other do not misread each other.
 *
 * Any string is a client: `%`, braces and lone surrogates are escaped, and the empty string, which
 * would be no hash tag, is a lone `%`.
 */
export function redisKey(prefix: string, client: string, policy: Policy): string {
  return `${prefix}{${escaped(client)}}:${policy.name}:${policy.periodMs}${KINDS[policy.shape]}`
}

/** A leaky bucket keeps what a token bucket keeps. */
const KINDS: { readonly [shape in Policy['shape']]: string } = {
  'token-bucket': '',
  'leaky-bucket': '',
  'fixed-window': ':fixed-window',
  'sliding-window': ':sliding-window',
}

const SPECIAL = /[%{}]|\p{Surrogate}/gu

function escaped(client: string): string {
  if (client === '') return '%'
  return client.replace(SPECIAL, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
