import { clientKey, NO_ADDRESS } from './client-key.ts'
import type { Facts } from './facts.ts'
import { warnOnce } from './warn.ts'

const PROXY_NOT_TRUSTED =
  "A request says X-Forwarded-For or Forwarded, but the framework takes no address from it: clients behind a proxy share the proxy's bucket. " +
  "Set the framework's trust-proxy setting (it reads X-Forwarded-For alone), or ignore this if no proxy is yours."
const EVERYBODY_TRUSTED =
  'The framework believes whatever address a client says it has, so a client can choose its bucket. Set its trust-proxy setting to the proxies that are yours.'
const WITHOUT_ADDRESS = `A request has no client address; all such requests share the bucket '${NO_ADDRESS}'. Give a 'key' that names the client.`

/**
 * The key of a client by its address: the one that the framework tells, or the socket's own where
 * that is no address; and one for all of those without any. Tells the operator what looks amiss.
 */
export function addressKeys<Ctx>(facts: Facts<Ctx>, ipv6Prefix: number): (ctx: Ctx) => string {
  let isFirst = true
  return (ctx) => {
    const told = facts.address(ctx)
    if (isForwarded(ctx, facts) && told === facts.socketAddress(ctx)) {
      warnOnce('TICKBUCKET_PROXY_NOT_TRUSTED', PROXY_NOT_TRUSTED)
    }
    if (isFirst && facts.trustsEverybody?.(ctx) === true)
      warnOnce('TICKBUCKET_EVERYBODY_TRUSTED', EVERYBODY_TRUSTED)
    isFirst = false
    const key = keyOf(told, ipv6Prefix) ?? keyOf(facts.socketAddress(ctx), ipv6Prefix)
    if (key !== undefined) return key
    warnOnce('TICKBUCKET_NO_ADDRESS', WITHOUT_ADDRESS)
    return NO_ADDRESS
  }
}

function isForwarded<Ctx>(ctx: Ctx, facts: Facts<Ctx>): boolean {
  return (facts.header(ctx, 'x-forwarded-for') ?? facts.header(ctx, 'forwarded')) !== undefined
}

function keyOf(address: string | undefined, ipv6Prefix: number): string | undefined {
  return address === undefined ? undefined : clientKey(address, ipv6Prefix)
}
