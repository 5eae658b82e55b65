import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plots } from '../scripts/plots.ts'

test.each([...plots()])('%s is what the code draws: `pnpm plots`', (path, svg) => {
  expect(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')).toBe(svg)
})
