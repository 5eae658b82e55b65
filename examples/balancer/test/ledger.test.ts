import { manualClock } from '@tickbucket/conformance'
import { expect, test } from 'vitest'
import { createLedger } from '../ledger.ts'

test('the busiest of late come first, and whoever has long been away is forgotten', () => {
  const clock = manualClock()
  const ledger = createLedger(clock)
  for (let count = 0; count < 8; count += 1) ledger.note({ key: 'early', refused: count > 4 })
  clock.advance(40_000)
  for (let count = 0; count < 2; count += 1) ledger.note({ key: 'late', refused: false })
  expect(ledger.clients(9)).toEqual([
    { key: 'late', allowed: 2, refused: 0 },
    { key: 'early', allowed: 5, refused: 3 },
  ])
  clock.advance(60_000)
  expect(ledger.clients(9)).toEqual([{ key: 'late', allowed: 2, refused: 0 }])
})

test('each second has its counts, those without a request too, and old ones go', () => {
  const clock = manualClock(5000)
  const ledger = createLedger(clock)
  ledger.note({ key: 'a', refused: false })
  clock.advance(2000)
  ledger.note({ key: 'a', refused: true })
  expect(ledger.seconds(3)).toEqual([
    { second: 5, allowed: 1, refused: 0 },
    { second: 6, allowed: 0, refused: 0 },
    { second: 7, allowed: 0, refused: 1 },
  ])
  clock.advance(1_000_000)
  ledger.note({ key: 'a', refused: true })
  expect(ledger.seconds(1001).filter(({ refused }) => refused > 0)).toHaveLength(1)
})

test('100,000 clients leave room for 2,000', () => {
  const ledger = createLedger(() => 0)
  for (let index = 0; index < 100_000; index += 1) ledger.note({ key: `client-${index}`, refused: false })
  expect(ledger.size()).toBe(2000)
})
