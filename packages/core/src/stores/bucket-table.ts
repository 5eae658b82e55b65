import type { Policy } from '../policy.ts'
import type { BucketState, Shape } from '../shapes/shape.ts'
import { freshState, shapeOf } from '../shapes/take.ts'
import { BucketSlots, SLOT_BYTES } from './bucket-slots.ts'
import type { Fingerprint } from './fingerprint.ts'

/**
 * How many buckets a block holds on average before one more block is made: small enough that to
 * rebuild one is no pause, large enough that blocks are few.
 */
const BLOCK = 4096
/** How many buckets are looked at to find the fullest of them when there is no more room. */
const SAMPLE = 8
/** How many slots are looked at for refilled buckets: at each new bucket, and once a millisecond. */
const SLOTS_PER_INSERT = 4
const SLOTS_PER_MS = 64
/** What an array of numbers takes beside its numbers. */
const LOG_BYTES = 64

/**
 * The buckets of one policy, by fingerprint: linear hashing (W. Litwin, 1980) over blocks of
 * slots. Every so many new buckets one block is split in two, so that growth is always the work
 * of one block, however many there are.
 *
 * A take is `open`, the arithmetic on `state`, then `keep`. Buckets that have refilled are found
 * by a hand that goes around all slots, moved on by the takes themselves.
 */
export class BucketTable {
  /** The opened bucket. One object for all, overwritten by the next `open`. */
  readonly state: BucketState
  count = 0
  droppedEarly = 0
  readonly #policy: Policy
  readonly #shape: Shape
  readonly #maxClients: number
  readonly #blocks: BucketSlots[]
  /** The bits of `high` that may choose a block: one less than the blocks rounded up to a power of two. */
  #mask = 0
  #openIndex = 0
  #openSlot = -1
  #openLogLength = 0
  /** A bucket that is looked at in passing. */
  readonly #looked: BucketState
  #handBlock = 0
  #handSlot = 0
  #sweptAt = -Infinity
  /** The numbers in all logs. */
  #logged = 0

  constructor(policy: Policy, maxClients: number) {
    this.#policy = policy
    this.#shape = shapeOf(policy)
    this.#maxClients = maxClients
    this.state = freshState(policy, 0)
    this.#looked = freshState(policy, 0)
    this.#blocks = [new BucketSlots(this.#shape.keepsLog, 0)]
  }

  /** Memory that the buckets take. */
  get bytes(): number {
    const logs = this.#shape.keepsLog ? this.count * LOG_BYTES + this.#logged * 8 : 0
    return this.slots * SLOT_BYTES + logs
  }

  /** Places for buckets, taken or free. */
  get slots(): number {
    let slots = 0
    for (const block of this.#blocks) slots += block.capacity
    return slots
  }

  /** Fills `state` with the bucket of a key: the kept one, or a full one. */
  open({ high, low }: Fingerprint, now: number): void {
    if (now !== this.#sweptAt) {
      this.#sweptAt = now
      this.sweep(now, SLOTS_PER_MS)
    }
    const index = this.#indexOf(high)
    const block = this.#blocks[index]!
    const slot = block.find(high, low)
    this.#openIndex = index
    this.#openSlot = slot
    if (slot < 0) this.#shape.fill(this.#policy, this.state, now)
    else block.load(slot, this.state)
    if (this.#shape.keepsLog) this.#openLogLength = slot < 0 ? 0 : logLength(this.state)
  }

  /** Keeps `state` for the key that was opened; for one that was not known only if it was charged. */
  keep(fingerprint: Fingerprint, now: number, charged: boolean): void {
    if (this.#openSlot >= 0) this.#blocks[this.#openIndex]!.save(this.#openSlot, this.state)
    else if (charged) this.#insert(fingerprint, now)
    else return
    if (this.#shape.keepsLog) this.#logged += logLength(this.state) - this.#openLogLength
  }

  /** Drops the bucket of a key, if there is one. */
  drop(high: number, low: number): void {
    const block = this.#blocks[this.#indexOf(high)]!
    const slot = block.find(high, low)
    if (slot >= 0) this.#remove(block, slot)
  }

  /** Drops those that have refilled of the buckets in the next so many slots. */
  sweep(now: number, slots: number): void {
    for (let left = slots; left > 0;) {
      const block = this.#blockAtHand()
      if (!block.isEmpty(this.#handSlot) && this.#hasRefilled(block, this.#handSlot, now)) {
        // Another bucket may move up into the slot, so the hand stays.
        this.#remove(block, this.#handSlot)
      } else {
        this.#handSlot += 1
        left -= 1
      }
    }
  }

  #insert({ high, low }: Fingerprint, now: number): void {
    if (this.count < this.#maxClients) this.sweep(now, SLOTS_PER_INSERT)
    else this.#makeRoom(now)
    if (this.count >= this.#blocks.length * BLOCK) this.#split()
    const index = this.#indexOf(high)
    let block = this.#blocks[index]!
    if (block.isCrowded) {
      block = block.resized()
      this.#blocks[index] = block
    }
    block.save(block.insert(high, low), this.state)
    this.count += 1
  }

  /**
   * Looks at the next few buckets and drops one that has refilled, or else the one that is nearest
   * to full: with the most tokens left, and among equals the soonest full. The time alone would
   * not do: a fixed window that is used up may end before one that has just begun.
   */
  #makeRoom(now: number): void {
    const shape = this.#shape
    let mostLeft = -1
    let soonest = Infinity
    let high = 0
    let low = 0
    for (let left = Math.min(SAMPLE, this.count); left > 0;) {
      const block = this.#blockAtHand()
      const slot = this.#handSlot
      this.#handSlot += 1
      if (block.isEmpty(slot)) continue
      if (this.#hasRefilled(block, slot, now)) return this.#remove(block, slot)
      left -= 1
      const tokens = shape.remaining(this.#policy, this.#looked)
      const resetAfterMs = shape.resetAfterMs(this.#policy, this.#looked)
      if (tokens < mostLeft || (tokens === mostLeft && resetAfterMs >= soonest)) continue
      mostLeft = tokens
      soonest = resetAfterMs
      high = block.highAt(slot)
      low = block.lowAt(slot)
    }
    this.drop(high, low)
    this.droppedEarly += 1
  }

  /** Lets time pass in a bucket, leaves it in `#looked`, and says whether it is full. */
  #hasRefilled(block: BucketSlots, slot: number, now: number): boolean {
    const state = this.#looked
    block.load(slot, state)
    const length = logLength(state)
    this.#shape.refill(this.#policy, state, now)
    block.save(slot, state)
    this.#logged += logLength(state) - length
    return this.#shape.resetAfterMs(this.#policy, state) === 0
  }

  #remove(block: BucketSlots, slot: number): void {
    if (this.#shape.keepsLog) {
      block.load(slot, this.#looked)
      this.#logged -= logLength(this.#looked)
    }
    block.remove(slot)
    this.count -= 1
  }

  /** The block under the hand. A hand at the end of one goes on to the next. */
  #blockAtHand(): BucketSlots {
    const block = this.#blocks[this.#handBlock]!
    if (this.#handSlot < block.capacity) return block
    if (block.isSparse) this.#blocks[this.#handBlock] = block.resized()
    this.#handBlock = (this.#handBlock + 1) % this.#blocks.length
    this.#handSlot = 0
    return this.#blocks[this.#handBlock]!
  }

  /** The block where a fingerprint belongs. The last ones, not yet there, are still in the first half. */
  #indexOf(high: number): number {
    const index = high & this.#mask
    return index < this.#blocks.length ? index : index & (this.#mask >>> 1)
  }

  /** Makes one block more, of those buckets of an older one that belong there now. */
  #split(): void {
    const index = this.#blocks.length
    if (index > this.#mask) this.#mask = 2 * this.#mask + 1
    const from = index & (this.#mask >>> 1)
    const [stay, move] = this.#blocks[from]!.partitioned(this.#mask, index)
    this.#blocks[from] = stay
    this.#blocks.push(move)
  }
}

function logLength(state: BucketState): number {
  return state.log === undefined ? 0 : state.log.length
}
