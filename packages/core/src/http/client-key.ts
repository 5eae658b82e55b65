import { wholeNumber } from '../options.ts'

/** What names every client without an address: one bucket for all of them. */
export const NO_ADDRESS = 'no-address'

/** How many bits of an IPv6 address name a client, unless said otherwise: what a home often owns. */
export const IPV6_PREFIX = 56

const IPV6_BITS = 128
const IPV6_GROUPS = 8
const COLON = 58
const DOT = 46
/** How Node writes an IPv4 client of a socket that listens for both: most clients of most servers. */
const MAPPED = '::ffff:'

/**
 * The key of the client at `address`, by bits and not by notation, or `undefined` if it is not an
 * address. IPv4 in any dress (mapped, NAT64 64:ff9b::/96, with a port) is the plain IPv4; IPv6 is
 * cut to `ipv6Prefix` bits and written as RFC 5952 says; port, brackets and zone go. `::1`,
 * link-local and Teredo addresses stay whole, 6to4 is cut to its site's /48 at the longest.
 *
 * @throws {TickbucketError} `INVALID_OPTION` for a prefix that is no whole number from 0 to 128.
 * @example
 * clientKey('::ffff:c000:201')             // '192.0.2.1'
 * clientKey('[2001:DB8:1:2::1]:4711', 64)  // '2001:db8:1:2::/64'
 */
export function clientKey(address: string, ipv6Prefix: number = IPV6_PREFIX): string | undefined {
  const first = address.charCodeAt(0)
  if (first >= 48 && first <= 57 && address.indexOf('.') > 0) {
    const ipv4 = keyOfIPv4(address)
    if (ipv4 !== undefined) return ipv4
  }
  if (address.startsWith(MAPPED) && parseIPv4(address, MAPPED.length, address.length) >= 0)
    return address.slice(MAPPED.length)
  const bare = withoutDress(address)
  return bare !== undefined && parseIPv6(bare) ? keyOfIPv6(ipv6Prefix) : undefined
}

/** The groups of the address that was parsed last. One for all: nothing comes between parsing and use. */
const groups = new Uint16Array(IPV6_GROUPS)

function keyOfIPv4(address: string): string | undefined {
  const colon = address.indexOf(':')
  if (colon >= 0 && !isPort(address, colon)) return undefined
  const bits = parseIPv4(address, 0, colon < 0 ? address.length : colon)
  if (bits < 0) return undefined
  return colon < 0 ? address : textOfIPv4(bits)
}

function keyOfIPv6(ipv6Prefix: number): string {
  const [g0, g1, g5, g6, g7] = [groups[0]!, groups[1]!, groups[5]!, groups[6]!, groups[7]!]
  const hasZeroMiddle = (groups[2]! | groups[3]! | groups[4]!) === 0
  const isMapped = hasZeroMiddle && (g0 | g1) === 0 && g5 === 0xffff
  const isNat64 = hasZeroMiddle && g0 === 0x64 && g1 === 0xff9b && g5 === 0
  if (isMapped || isNat64) return textOfIPv4(g6 * 0x10000 + g7)
  const isLoopback = hasZeroMiddle && (g0 | g1 | g5 | g6) === 0 && g7 === 1
  const isLinkLocal = (g0 & 0xffc0) === 0xfe80
  const isTeredo = g0 === 0x2001 && g1 === 0
  if (isLoopback || isLinkLocal || isTeredo) return textOfIPv6()
  const asked = wholeNumber('ipv6Prefix', ipv6Prefix, 0, IPV6_BITS)
  const prefix = g0 === 0x2002 ? Math.min(asked, 48) : asked
  if (prefix === IPV6_BITS) return textOfIPv6()
  cutGroups(prefix)
  return `${textOfIPv6()}/${prefix}`
}

/** Zeroes the bits behind the first `prefix` ones. */
function cutGroups(prefix: number): void {
  const whole = prefix >> 4
  groups[whole] = groups[whole]! & (0xffff << (16 - (prefix & 15)))
  for (let index = whole + 1; index < IPV6_GROUPS; index += 1) groups[index] = 0
}

function textOfIPv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`
}

/** RFC 5952: lower case, no leading zeros, `::` for the first of the longest runs of zero groups. */
function textOfIPv6(): string {
  let gapStart = IPV6_GROUPS
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
  if (gapStart === IPV6_GROUPS) return textOfGroups(0, IPV6_GROUPS)
  return `${textOfGroups(0, gapStart)}::${textOfGroups(gapStart + gapLength, IPV6_GROUPS)}`
}

function textOfGroups(start: number, end: number): string {
  let text = ''
  for (let index = start; index < end; index += 1) {
    text += index === start ? groups[index]!.toString(16) : `:${groups[index]!.toString(16)}`
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

/** Fills in the groups of an address as RFC 4291 section 2.2 allows it to be written; `false` if it is none. */
function parseIPv6(text: string): boolean {
  const { length } = text
  let count = 0
  let gap = -1
  let index = 0
  if (text.startsWith('::')) {
    gap = 0
    index = 2
  }
  while (index < length) {
    if (count === IPV6_GROUPS) return false
    const start = index
    let value = 0
    let digit = hexDigit(text.charCodeAt(index))
    while (digit >= 0 && index - start < 4) {
      value = value * 16 + digit
      index += 1
      digit = index < length ? hexDigit(text.charCodeAt(index)) : -1
    }
    if (index === start) return false
    if (index < length && text.charCodeAt(index) === DOT) {
      const bits = parseIPv4(text, start, length)
      if (bits < 0 || count > IPV6_GROUPS - 2) return false
      groups[count] = bits >>> 16
      groups[count + 1] = bits
      count += 2
      break
    }
    groups[count] = value
    count += 1
    if (index === length) break
    if (text.charCodeAt(index) !== COLON) return false
    index += 1
    if (index === length) return false
    if (text.charCodeAt(index) === COLON) {
      if (gap >= 0) return false
      gap = count
      index += 1
    }
  }
  return gap < 0 ? count === IPV6_GROUPS : openGap(gap, count)
}

/** Moves the groups from `gap` on to the end, and zeroes what was in between. A gap of none is no gap. */
function openGap(gap: number, count: number): boolean {
  if (count === IPV6_GROUPS) return false
  let to = IPV6_GROUPS - 1
  for (let from = count - 1; from >= gap; from -= 1, to -= 1) groups[to] = groups[from]!
  for (; to >= gap; to -= 1) groups[to] = 0
  return true
}

function hexDigit(code: number): number {
  if (isDigit(code)) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
