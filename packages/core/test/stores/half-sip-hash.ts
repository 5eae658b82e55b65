/**
 * HalfSipHash with a 64-bit output as its paper and reference code state it: bytes in, bytes out,
 * any number of rounds, no concern for speed. What the store's own is held against.
 */
export function halfSipHash(
  bytes: readonly number[],
  key: readonly number[],
  c: number,
  d: number,
): number[] {
  const [k0, k1] = [wordAt(key, 0), wordAt(key, 4)]
  const v = new Uint32Array([k0, k1 ^ 0xee, k0 ^ 0x6c796765, k1 ^ 0x74656462])
  const padded = [...bytes]
  while (padded.length % 4 !== 3) padded.push(0)
  padded.push(bytes.length % 256)
  for (let at = 0; at < padded.length; at += 4) {
    v[3]! ^= wordAt(padded, at)
    for (let round = 0; round < c; round += 1) sipRound(v)
    v[0]! ^= wordAt(padded, at)
  }
  v[2]! ^= 0xee
  for (let round = 0; round < d; round += 1) sipRound(v)
  const first = v[1]! ^ v[3]!
  v[1]! ^= 0xdd
  for (let round = 0; round < d; round += 1) sipRound(v)
  const second = v[1]! ^ v[3]!
  return [first, second].flatMap((word) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff))
}

/** Four bytes as a word, the low one first. */
export function wordAt(bytes: readonly number[], at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function sipRound(v: Uint32Array): void {
  const mix = (a: number, b: number, turn: number): void => {
    v[a]! += v[b]!
    v[b] = rotated(v[b]!, turn) ^ v[a]!
  }
  mix(0, 1, 5)
  v[0] = rotated(v[0]!, 16)
  mix(2, 3, 8)
  mix(0, 3, 7)
  mix(2, 1, 13)
  v[2] = rotated(v[2]!, 16)
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}
