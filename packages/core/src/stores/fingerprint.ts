// What every runtime has, whatever else it has: this package is checked without the types of any.
declare const crypto: { getRandomValues(array: Int32Array<ArrayBuffer>): Int32Array }

/** 64 secret bits, as two whole numbers of 32. */
export type Secret = readonly [number, number]

/** A secret of its own for each store, so that what is learnt about one says nothing about another. */
export function randomSecret(): Secret {
  const [first = 0, second = 0] = crypto.getRandomValues(new Int32Array(2))
  return [first, second]
}

/**
 * The 64 bits by which a store knows a key: HalfSipHash-2-4 with its 64-bit output over the key's
 * UTF-16 code units, as J.-P. Aumasson's reference has it (https://github.com/veorq/SipHash).
 *
 * It is a keyed hash: whoever does not know the secret can choose no two keys that meet, whatever
 * else is known, and meets with another key by chance alone. Among n keys some two have one
 * fingerprint with a probability of about n² / 2⁶⁵: 2.7e-6 for ten million of them.
 *
 * One object serves all keys of a store: `of` leaves its answer in `high` and `low`.
 */
export class Fingerprint {
  readonly #secret: Secret
  /** The second word of the hash. */
  high = 0
  /** The first word of the hash; 1 where it would be 0, so that 0 can mean that nobody is there. */
  low = 1

  constructor(secret: Secret) {
    this.#secret = secret
  }

  of(key: string): void {
    const [first, second] = this.#secret
    let v0 = first
    let v1 = second ^ 0xee
    let v2 = first ^ 0x6c796765
    let v3 = second ^ 0x74656462
    const { length } = key
    const pairs = length >>> 1
    // Each pair of code units is a word, then comes one of the odd unit and the length in bytes;
    // two steps more draw the two words of the answer.
    for (let step = 0; step < pairs + 3; step += 1) {
      let word = 0
      if (step < pairs) {
        word = key.charCodeAt(2 * step) | (key.charCodeAt(2 * step + 1) << 16)
      } else if (step === pairs) {
        word = (length << 25) | (length % 2 === 1 ? key.charCodeAt(length - 1) : 0)
      } else if (step === pairs + 1) {
        v2 ^= 0xee
      } else {
        this.low = v1 ^ v3 || 1
        v1 ^= 0xdd
      }
      v3 ^= word
      for (let rounds = step <= pairs ? 2 : 4; rounds > 0; rounds -= 1) {
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
      }
      v0 ^= word
    }
    this.high = v1 ^ v3
  }
}
