// What every runtime has, whatever else it has: this package is checked without the types of any.
declare const crypto: { getRandomValues(array: Int32Array<ArrayBuffer>): Int32Array }

/** 64 secret bits as whole numbers of 32: two for the keys that are Latin-1, two for all others. */
export type Secret = readonly [number, number, number, number]

/** A secret of its own for each store, so that what is learnt about one says nothing about another. */
export function randomSecret(): Secret {
  const [a = 0, b = 0, c = 0, d = 0] = crypto.getRandomValues(new Int32Array(4))
  return [a, b, c, d]
}

/**
 * The 64 bits by which a store knows a key: HalfSipHash-1-3 with its 64-bit output (J.-P. Aumasson,
 * https://github.com/veorq/SipHash), over the bytes of a key in Latin-1 and over the UTF-16 of any
 * other, under a secret of its own.
 *
 * It is a keyed hash of the strength that hash tables ask for, and its output is never shown. To
 * who does not know the secret, two given keys meet with a probability of 2⁻⁶⁴, and some two of n
 * keys with one of about n² / 2⁶⁵: 2.7e-6 for ten million.
 *
 * One object serves all keys of a store: `of` leaves its answer in `high` and `low`.
 */
export class Fingerprint {
  readonly #secret: Secret
  high = 0
  /** Never 0, so that 0 can mean that nobody is there. */
  low = 1

  constructor(secret: Secret) {
    this.#secret = secret
  }

  of(key: string): void {
    const secret = this.#secret
    const isLatin1 = this.#hash(key, secret[0], secret[1])
    if (!isLatin1) this.#hash(inBytes(key), secret[2], secret[3])
  }

  /** Takes each code unit for a byte, and says whether it was one. */
  #hash(key: string, first: number, second: number): boolean {
    const { length } = key
    const end = length - (length % 4)
    let units = 0
    let v0 = first
    let v1 = second ^ 0xee
    let v2 = first ^ 0x6c796765
    let v3 = second ^ 0x74656462
    for (let at = 0; at <= end; at += 4) {
      let word = length << 24
      if (at < end) {
        const unit0 = key.charCodeAt(at)
        const unit1 = key.charCodeAt(at + 1)
        const unit2 = key.charCodeAt(at + 2)
        const unit3 = key.charCodeAt(at + 3)
        units |= unit0 | unit1 | unit2 | unit3
        word = unit0 | (unit1 << 8) | (unit2 << 16) | (unit3 << 24)
      } else {
        for (let last = end; last < length; last += 1) {
          const unit = key.charCodeAt(last)
          units |= unit
          word |= unit << (8 * (last - end))
        }
      }
      v3 ^= word
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
      v0 ^= word
    }
    v2 ^= 0xee
    for (let round = 1; round <= 6; round += 1) {
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
      if (round === 3) {
        this.low = v1 ^ v3 || 1
        v1 ^= 0xdd
      }
    }
    this.high = v1 ^ v3
    return units < 256
  }
}

/** The UTF-16 of a key, low bytes first, each byte as a character. */
function inBytes(key: string): string {
  let bytes = ''
  for (let at = 0; at < key.length; at += 1) {
    const unit = key.charCodeAt(at)
    bytes += String.fromCharCode(unit & 0xff, unit >>> 8)
  }
  return bytes
}
