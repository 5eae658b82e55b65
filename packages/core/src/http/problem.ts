/** The media type of every body below (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/** A body that a refused request is answered with, and its status. Always ASCII. */
export interface Problem {
  readonly status: 429 | 503
  readonly body: string
}

/** A policy was exceeded: the client asked for more than it may (draft-ietf-httpapi-ratelimit-headers-11). */
export function quotaExceeded(policyNames: readonly string[]): Problem {
  return problem(429, 'quota-exceeded', 'Quota Exceeded', policyNames)
}

/** We cannot tell whether a policy was exceeded, and were told to refuse then. */
export function temporaryReducedCapacity(policyNames: readonly string[]): Problem {
  return problem(503, 'temporary-reduced-capacity', 'Temporary Reduced Capacity', policyNames)
}

function problem(status: 429 | 503, type: string, title: string, policyNames: readonly string[]): Problem {
  const body = JSON.stringify({
    type: `https://iana.org/assignments/http-problem-types#${type}`,
    title,
    status,
    'violated-policies': policyNames,
  })
  return { status, body }
}
