const scratch = Buffer.alloc(32)

/**
 * The address of a client, as a string of its own in one piece: what a server reads from a socket,
 * never the one that a store has seen before.
 */
export function addressOf(client: number): string {
  const length = scratch.write(
    `${10 + (client >>> 24)}.${(client >>> 16) & 255}.${(client >>> 8) & 255}.${client & 255}`,
    'latin1',
  )
  return scratch.toString('latin1', 0, length)
}

/** Whole numbers below `most`, the same ones in each process: a linear congruential generator. */
export function randomNumbers(most: number): () => number {
  let seed = 1
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((seed >>> 0) / 2 ** 32) * most)
  }
}
