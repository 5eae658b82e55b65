import type { AdapterCase } from './adapter-case.ts'
import { arithmeticCases } from './adapter-arithmetic-cases.ts'
import { callbackCases } from './adapter-callback-cases.ts'
import { clientCases } from './adapter-client-cases.ts'
import { flowCases } from './adapter-flow-cases.ts'
import { pacingCases } from './adapter-pacing-cases.ts'
import { storeFailureCases } from './adapter-store-cases.ts'
import { wireCases } from './adapter-wire-cases.ts'

/**
 * What every adapter owes, over real HTTP.
 *
 * @example
 * for (const { name, run } of adapterCases(harness)) test(name, () => run(harness))
 */
export function adapterCases({ canTrust }: { readonly canTrust: boolean }): readonly AdapterCase[] {
  // Without a trust-proxy setting there is no address but the socket's own.
  return [
    ...arithmeticCases,
    ...wireCases,
    ...storeFailureCases,
    ...callbackCases,
    ...flowCases,
    ...pacingCases,
    ...clientCases,
  ].filter(({ needsTrust = false }) => canTrust || !needsTrust)
}
