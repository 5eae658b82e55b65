import { wholeNumber } from '../options.ts'

/** What names every client without an address: one bucket for all of them. */
export const NO_ADDRESS = 'no-address'

const IPV6_GROUPS = 8
const MAPPED = '::ffff:'
const COLON = 58
const DOT = 46

/**
 * The key of the client at `address`, by bits and not by notation, or `undefined` if it is not an
 * address. IPv4 in any dress (mapped, NAT64 64:ff9b::/96, with a port) is the plain IPv4; IPv6 is
 * cut to `ipv6Prefix` bits and written as RFC 5952 says; port, brackets and zone go. `::1`,
 * link-local and Teredo addresses stay whole, 6to4 is cut to its site's /48 at the longest.
 *
 * @throws {TickbucketError} `INVALID_OPTION` for a prefix that is no whole number from 0 to 128.
 * @example
 * clientKey('::ffff:c000:201', 56)         // '192.0.2.1'
 * clientKey('[2001:DB8:1:2::1]:4711', 56)  // '2001:db8:1::/56'
 */
export function clientKey(address: string, ipv6Prefix: number): string | undefined {
  const first = address.charCodeAt(0)
  if (first >= 48 && first <= 57 && address.indexOf('.') > 0) {
    const ipv4 = keyOfIPv4(address)
    if (ipv4 !== undefined) return ipv4
  }
  // What a dual-stack socket calls an IPv4 client, and so what most clients of many servers are called.
  if (address.startsWith(MAPPED) && parseIPv4(address, MAPPED.length, address.length) >= 0) {
    return address.slice(MAPPED.length)
  }
  const bare = withoutDress(address)
  if (bare === undefined) return undefined
  const groups = parseIPv6(bare)
  return groups === undefined ? undefined : keyOfIPv6(groups, ipv6Prefix)
}

function keyOfIPv4(address: string): string | undefined {
  const colon = address.indexOf(':')
  if (colon >= 0 && !isPort(address, colon)) return undefined
  const bits = parseIPv4(address, 0, colon < 0 ? address.length : colon)
  if (bits < 0) return undefined
  return colon < 0 ? address : textOfIPv4(bits)
}

function keyOfIPv6(groups: readonly number[], ipv6Prefix: number): string {
  const [g0, g1, g2, g3, g4, g5, g6, g7] = groups as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const hasZeroMiddle = (g2 | g3 | g4) === 0
  const isMapped = hasZeroMiddle && (g0 | g1) === 0 && g5 === 0xffff
  const isNat64 = hasZeroMiddle && g0 === 0x64 && g1 === 0xff9b && g5 === 0
  if (isMapped || isNat64) return textOfIPv4(g6 * 0x10000 + g7)
  const isLoopback = hasZeroMiddle && (g0 | g1 | g5 | g6) === 0 && g7 === 1
  const isLinkLocal = (g0 & 0xffc0) === 0xfe80
  const isTeredo = g0 === 0x2001 && g1 === 0
  if (isLoopback || isLinkLocal || isTeredo) return textOfIPv6(groups)
  wholeNumber('ipv6Prefix', ipv6Prefix, 0, 128)
  const prefix = g0 === 0x2002 ? Math.min(ipv6Prefix, 48) : ipv6Prefix
  if (prefix === 128) return textOfIPv6(groups)
  return `${textOfIPv6(groups.map((group, index) => group & maskOfGroup(index, prefix)))}/${prefix}`
}

/** The bits of the group at `index` that lie within the first `prefix` bits of an address. */
function maskOfGroup(index: number, prefix: number): number {
  const kept = Math.min(16, Math.max(0, prefix - index * 16))
  return (0xffff << (16 - kept)) & 0xffff
}

function textOfIPv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`
}

/** RFC 5952: lower case, no leading zeros, `::` for the first of the longest runs of zero groups. */
function textOfIPv6(groups: readonly number[]): string {
  let gapStart = -1
  let gapLength = 1
  for (let start = 0; start < IPV6_GROUPS; start += 1) {
    let end = start
    while (end < IPV6_GROUPS && groups[end] === 0) end += 1
    if (end - start > gapLength) {
      gapStart = start
      gapLength = end - start
    }
    if (end > start) start = end
  }
  let text = ''
  for (let index = 0; index < IPV6_GROUPS; index += 1) {
    if (index === gapStart) {
      text += '::'
      index += gapLength - 1
      continue
    }
    if (text !== '' && !text.endsWith(':')) text += ':'
    text += groups[index]!.toString(16)
  }
  return text
}

/** An IPv6 address without brackets, port and zone; `undefined` if its brackets or port are broken. */
function withoutDress(address: string): string | undefined {
  let bare = address
  if (address.startsWith('[')) {
    const end = address.indexOf(']')
    if (end < 0) return undefined
    if (end !== address.length - 1 && !(address.charCodeAt(end + 1) === COLON && isPort(address, end + 1)))
      return undefined
    bare = address.slice(1, end)
  }
  const zone = bare.indexOf('%')
  if (zone < 0) return bare
  return zone === bare.length - 1 ? undefined : bare.slice(0, zone)
}

/** Whether a colon and one to five digits are all that stands from `colon` on. */
function isPort(address: string, colon: number): boolean {
  const digits = address.length - colon - 1
  if (digits < 1 || digits > 5) return false
  for (let index = colon + 1; index < address.length; index += 1) {
    if (!isDigit(address.charCodeAt(index))) return false
  }
  return true
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The 32 bits of a dotted quad, or -1. Leading zeros are refused: some read them as octal. */
function parseIPv4(text: string, start: number, end: number): number {
  let bits = 0
  let parts = 0
  for (let index = start; index <= end; index += 1) {
    const first = text.charCodeAt(index)
    let value = 0
    let digits = 0
    while (index < end && isDigit(text.charCodeAt(index))) {
      value = value * 10 + text.charCodeAt(index) - 48
      digits += 1
      index += 1
    }
    if (digits === 0 || digits > 3 || value > 255 || (digits > 1 && first === 48)) return -1
    bits = bits * 256 + value
    parts += 1
    if (index < end && text.charCodeAt(index) !== DOT) return -1
    if (index === end) break
  }
  return parts === 4 ? bits : -1
}

/** The eight groups of an address as RFC 4291 section 2.2 allows it to be written, or `undefined`. */
function parseIPv6(text: string): number[] | undefined {
  const groups: number[] = []
  let gap = -1
  let index = 0
  if (text.startsWith('::')) {
    gap = 0
    index = 2
  }
  while (index < text.length) {
    if (groups.length === IPV6_GROUPS) return undefined
    const start = index
    let value = 0
    let digit = hexDigit(text.charCodeAt(index))
    while (digit >= 0 && index - start < 4) {
      value = value * 16 + digit
      index += 1
      digit = index < text.length ? hexDigit(text.charCodeAt(index)) : -1
    }
    if (index === start) return undefined
    if (text.charCodeAt(index) === DOT) {
      const bits = parseIPv4(text, start, text.length)
      if (bits < 0 || groups.length > IPV6_GROUPS - 2) return undefined
      groups.push(bits >>> 16, bits & 0xffff)
      break
    }
    groups.push(value)
    if (index === text.length) break
    if (text.charCodeAt(index) !== COLON) return undefined
    index += 1
    if (index === text.length) return undefined
    if (text.charCodeAt(index) === COLON) {
      if (gap >= 0) return undefined
      gap = groups.length
      index += 1
    }
  }
  if (gap < 0) return groups.length === IPV6_GROUPS ? groups : undefined
  if (groups.length === IPV6_GROUPS) return undefined
  const zeros = Array.from({ length: IPV6_GROUPS - groups.length }, () => 0)
  return [...groups.slice(0, gap), ...zeros, ...groups.slice(gap)]
}

function hexDigit(code: number): number {
  if (isDigit(code)) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
