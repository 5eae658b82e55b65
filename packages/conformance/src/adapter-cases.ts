import type { AdapterCase, AdapterHarness } from './adapter-case.ts'
import { arithmeticCases } from './adapter-arithmetic-cases.ts'
import { callbackCases } from './adapter-callback-cases.ts'
import { clientCases } from './adapter-client-cases.ts'
import { flowCases } from './adapter-flow-cases.ts'
import { pacingCases } from './adapter-pacing-cases.ts'
import { responseCases } from './adapter-response-cases.ts'
import { storeFailureCases } from './adapter-store-cases.ts'
import { transportCases } from './adapter-transport-cases.ts'
import { wireCases } from './adapter-wire-cases.ts'

/**
 * What every adapter owes, over real HTTP.
 *
 * @example
 * for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
 */
export function adapterCases({
  canTrust,
  canHttp2,
  canBegin,
}: Pick<AdapterHarness, 'canTrust' | 'canHttp2' | 'canBegin'>): readonly AdapterCase[] {
  return [
    ...arithmeticCases,
    ...wireCases,
    ...responseCases,
    ...transportCases,
    ...storeFailureCases,
    ...callbackCases,
    ...flowCases,
    ...pacingCases,
    ...clientCases,
  ].filter(
    ({ needs }) => (canTrust || !needs.trust) && (canHttp2 || !needs.http2) && (canBegin || !needs.begin),
  )
}
