import { expect, test } from 'vitest'
import fc from 'fast-check'
import { BucketSlots } from '../../src/stores/bucket-slots.ts'

/** Few fingerprints that begin in few places, so that they stand in each other's way and around the end. */
const fingerprint = fc.record({
  high: fc.integer({ min: -2, max: 2 }),
  low: fc.constantFrom(1, 2, 0x8000, 0xffff, -1, -2, 0x7fffffff, 0xfff0, 0x1ffff, 0x2ffff),
})
const step = fc.record({
  at: fingerprint,
  what: fc.constantFrom('put', 'put', 'put', 'remove', 'resize'),
  value: fc.maxSafeInteger(),
})

test.each([false, true])('a block of slots is a map from fingerprints to states, logs: %s', (keepsLog) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      let slots = new BucketSlots(keepsLog, 0)
      const right = new Map<string, { ticks: number; last: number; log: number[] | undefined }>()
      for (const { at, what, value } of steps) {
        const name = `${at.high}/${at.low}`
        if (what === 'resize') slots = slots.resized()
        else if (what === 'remove') {
          if (right.delete(name)) slots.remove(slots.find(at.high, at.low))
        } else {
          if (slots.isCrowded) slots = slots.resized()
          const state = { ticks: value, last: -value, log: keepsLog ? [value] : undefined }
          const found = slots.find(at.high, at.low)
          slots.save(found === -1 ? slots.insert(at.high, at.low) : found, state)
          right.set(name, state)
        }
        same(slots, right)
      }
      for (const part of slots.partitioned(1, 1)) expect(part.count).toBeLessThanOrEqual(right.size)
      const [even, odd] = slots.partitioned(1, 1)
      same(even, new Map([...right].filter(([name]) => Number(name.split('/')[0]) % 2 === 0)))
      same(odd, new Map([...right].filter(([name]) => Number(name.split('/')[0]) % 2 !== 0)))
    }),
    { numRuns: 300 },
  )
})

function same(slots: BucketSlots, right: ReadonlyMap<string, object>): void {
  expect(slots.count).toBe(right.size)
  const seen: [string, object][] = []
  for (let slot = 0; slot < slots.capacity; slot += 1) {
    if (slots.isEmpty(slot)) continue
    const [high, low] = [slots.highAt(slot), slots.lowAt(slot)]
    expect(slots.find(high, low)).toBe(slot)
    const state = { ticks: 0, last: 0, log: undefined }
    slots.load(slot, state)
    seen.push([`${high}/${low}`, state])
  }
  expect(new Map(seen)).toEqual(new Map(right))
}
