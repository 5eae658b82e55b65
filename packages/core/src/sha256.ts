// Written here since the core imports nothing, and Web Crypto's hash answers only with a promise.

const BLOCK_WORDS = 16
let roundConstants: Uint32Array | undefined

/**
 * SHA-256 (FIPS 180-4, section 6.2) of the UTF-16 code units of `text`, two bytes each with the
 * higher first, as 64 hex digits. Total: lone surrogates are code units like any other.
 */
export function sha256(text: string): string {
  roundConstants ??= fractionsOfRoots(64, Math.cbrt)
  const hash = fractionsOfRoots(8, Math.sqrt)
  const words = padded(text)
  const schedule = new Uint32Array(64)
  for (let start = 0; start < words.length; start += BLOCK_WORDS) {
    schedule.set(words.subarray(start, start + BLOCK_WORDS))
    compress(hash, schedule, roundConstants)
  }
  return Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** Two code units a word, one bit set behind them, zeros, and the length in bits in the last two words. */
function padded(text: string): Uint32Array {
  const blocks = Math.floor((text.length * 2 + 8) / 64) + 1
  const words = new Uint32Array(blocks * BLOCK_WORDS)
  for (let index = 0; index < text.length; index += 1) {
    words[index >> 1]! |= text.charCodeAt(index) << (index % 2 === 0 ? 16 : 0)
  }
  words[text.length >> 1]! |= text.length % 2 === 0 ? 0x8000_0000 : 0x8000
  const bits = text.length * 16
  words[words.length - 2] = Math.floor(bits / 2 ** 32)
  words[words.length - 1] = bits
  return words
}

function compress(hash: Uint32Array, schedule: Uint32Array, constants: Uint32Array): void {
  for (let t = BLOCK_WORDS; t < 64; t += 1) {
    const near = schedule[t - 2]!
    const far = schedule[t - 15]!
    const sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    const sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    schedule[t] = sigma1 + schedule[t - 7]! + sigma0 + schedule[t - 16]!
  }
  let [a, b, c, d, e, f, g, h] = hash as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let t = 0; t < 64; t += 1) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + sum1 + choice + constants[t]! + schedule[t]!) | 0
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + sum0 + majority) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index]! += word
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

/** The first 32 bits of the fractional parts of roots of the first primes: the standard's constants. */
function fractionsOfRoots(count: number, root: (value: number) => number): Uint32Array {
  const words = new Uint32Array(count)
  for (let candidate = 2, found = 0; found < count; candidate += 1) {
    if (!isPrime(candidate)) continue
    words[found] = (root(candidate) % 1) * 2 ** 32
    found += 1
  }
  return words
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) {
    if (candidate % divisor === 0) return false
  }
  return true
}
