import type { BucketState } from '../shapes/shape.ts'

/** A slot is 24 bytes: `ticks` and `last` as doubles, then the two words of a fingerprint. */
const DOUBLES = 3
const WORDS = 6
const LOW = 4
const HIGH = 5
export const SLOT_BYTES = 24

/** So many that a few clients whose buckets refill at once do not make a block grow and shrink all the time. */
const FEWEST_SLOTS = 64
/** Beyond this share of taken slots, looking for a bucket that is not there takes long. */
const CROWDED = 0.8
/** Below this share, the memory is better given back. */
const SPARSE = 0.25
/** A block that is made anew has room for this many times its buckets. */
const ROOM_TO_GROW = 1.25
/** The sizes of blocks are this far apart. */
const STEP = 1.25

/**
 * Some thousand buckets side by side in one block of memory, so that finding one costs one or two
 * reads of it: a hash table with open addressing and linear probing, whose slots are in the order
 * of their fingerprints' `low`. Removing one closes the gap, so there are no tombstones.
 *
 * A slot's number holds until the next `insert` or `remove`.
 */
export class BucketSlots {
  readonly capacity: number
  count = 0
  readonly #doubles: Float64Array
  readonly #words: Int32Array
  /** `BucketState.log` of each slot, for the shapes that keep one. */
  readonly #logs: (number[] | undefined)[] | undefined

  constructor(keepsLog: boolean, count: number) {
    this.capacity = capacityFor((count * ROOM_TO_GROW) / CROWDED)
    const memory = new ArrayBuffer(this.capacity * SLOT_BYTES)
    this.#doubles = new Float64Array(memory)
    this.#words = new Int32Array(memory)
    this.#logs = keepsLog ? [] : undefined
  }

  /** Whether it must be `resized` before it takes one more. */
  get isCrowded(): boolean {
    return this.count + 1 > this.capacity * CROWDED
  }

  /** Whether it takes much more memory than its buckets need. */
  get isSparse(): boolean {
    return this.capacity > FEWEST_SLOTS && this.count < this.capacity * SPARSE
  }

  /** The slot of a fingerprint, or -1. */
  find(high: number, low: number): number {
    const words = this.#words
    const { capacity } = this
    let slot = this.#home(low)
    for (;;) {
      const found = words[slot * WORDS + LOW]!
      if (found === low && words[slot * WORDS + HIGH] === high) return slot
      if (found === 0) return -1
      slot += 1
      if (slot === capacity) slot = 0
    }
  }

  /** A slot for a fingerprint that has none, where `isCrowded` is false. Its state must be saved there. */
  insert(high: number, low: number): number {
    const words = this.#words
    let slot = this.#home(low)
    while (words[slot * WORDS + LOW] !== 0) slot = this.#after(slot)
    words[slot * WORDS + LOW] = low
    words[slot * WORDS + HIGH] = high
    this.count += 1
    return slot
  }

  /** Empties a slot. The buckets that stood behind it may move up, into it, too. */
  remove(slot: number): void {
    const { capacity } = this
    let gap = slot
    for (let next = this.#after(gap); !this.isEmpty(next); next = this.#after(next)) {
      const fromHome = (next - this.#home(this.lowAt(next)) + capacity) % capacity
      const fromGap = (next - gap + capacity) % capacity
      if (fromHome < fromGap) continue
      this.#copy(this, next, gap)
      gap = next
    }
    this.#words[gap * WORDS + LOW] = 0
    if (this.#logs !== undefined) this.#logs[gap] = undefined
    this.count -= 1
  }

  isEmpty(slot: number): boolean {
    return this.#words[slot * WORDS + LOW] === 0
  }

  lowAt(slot: number): number {
    return this.#words[slot * WORDS + LOW]!
  }

  highAt(slot: number): number {
    return this.#words[slot * WORDS + HIGH]!
  }

  /** Fills `state` with what a slot holds. The log is lent, not copied. */
  load(slot: number, state: BucketState): void {
    state.ticks = this.#doubles[slot * DOUBLES]!
    state.last = this.#doubles[slot * DOUBLES + 1]!
    if (this.#logs !== undefined) state.log = this.#logs[slot]
  }

  save(slot: number, state: BucketState): void {
    this.#doubles[slot * DOUBLES] = state.ticks
    this.#doubles[slot * DOUBLES + 1] = state.last
    if (this.#logs !== undefined) this.#logs[slot] = state.log
  }

  /** The same buckets in a block of the size that is right for them. */
  resized(): BucketSlots {
    const other = new BucketSlots(this.#logs !== undefined, this.count)
    for (let slot = 0; slot < this.capacity; slot += 1) {
      if (!this.isEmpty(slot)) other.#adopt(this, slot)
    }
    return other
  }

  /** The buckets in two blocks: first those whose `high & mask` is not `index`, then those where it is. */
  partitioned(mask: number, index: number): [BucketSlots, BucketSlots] {
    let moving = 0
    for (let slot = 0; slot < this.capacity; slot += 1) {
      if (!this.isEmpty(slot) && (this.highAt(slot) & mask) === index) moving += 1
    }
    const stay = new BucketSlots(this.#logs !== undefined, this.count - moving)
    const move = new BucketSlots(this.#logs !== undefined, moving)
    for (let slot = 0; slot < this.capacity; slot += 1) {
      if (!this.isEmpty(slot)) ((this.highAt(slot) & mask) === index ? move : stay).#adopt(this, slot)
    }
    return [stay, move]
  }

  #adopt(from: BucketSlots, slot: number): void {
    this.#copy(from, slot, this.insert(from.highAt(slot), from.lowAt(slot)))
  }

  #copy(from: BucketSlots, source: number, target: number): void {
    // Word by word, since a double that is not a number need not keep its bits on the way.
    this.#words[target * WORDS + LOW] = from.#words[source * WORDS + LOW]!
    this.#words[target * WORDS + HIGH] = from.#words[source * WORDS + HIGH]!
    this.#doubles[target * DOUBLES] = from.#doubles[source * DOUBLES]!
    this.#doubles[target * DOUBLES + 1] = from.#doubles[source * DOUBLES + 1]!
    if (this.#logs !== undefined) this.#logs[target] = from.#logs?.[source]
  }

  /** The slot where a fingerprint is looked for first: slots are few, so 16 of its bits will do. */
  #home(low: number): number {
    return Math.imul(low & 0xffff, this.capacity) >>> 16
  }

  #after(slot: number): number {
    return slot + 1 === this.capacity ? 0 : slot + 1
  }
}

/** Few sizes, so that the memory of a block that is gone is right for one to come. */
function capacityFor(slots: number): number {
  let capacity = FEWEST_SLOTS
  while (capacity < slots) capacity = Math.ceil(capacity * STEP)
  return capacity
}
