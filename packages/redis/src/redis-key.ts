/**
 * The key of a bucket: `prefix{client}:policy`. The client stands in the hash tag, so that all of
 * its buckets live on one node of a cluster, and one script decides them. Any string is a client:
 * `%`, braces and lone surrogates are escaped, and the empty string, which would be no hash tag, is
 * a lone `%`.
 */
export function redisKey(prefix: string, client: string, policyName: string): string {
  return `${prefix}{${escaped(client)}}:${policyName}`
}

const SPECIAL = /[%{}]|\p{Surrogate}/gu

function escaped(client: string): string {
  if (client === '') return '%'
  return client.replace(SPECIAL, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
