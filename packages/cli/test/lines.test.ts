import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineCutter } from '../src/lines.ts'

function linesOf(chunks: readonly string[]): (string | undefined)[] {
  const lines: (string | undefined)[] = []
  const cutter = lineCutter((line) => lines.push(line))
  for (const chunk of chunks) cutter.push(chunk)
  cutter.end()
  return lines
}

test('lines are the same however the text is cut into chunks', () => {
  const chunk = fc.array(fc.constantFrom('a', '\n', '\r\n', ' ')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(chunk), (chunks) => {
      const whole = chunks.join('').split('\n')
      expect(linesOf(chunks)).toEqual(whole.at(-1) === '' ? whole.slice(0, -1) : whole)
    }),
  )
})

test.each([1, 1000, 65_537])(
  'a line above 64 KiB is left out, in chunks of %i, and the next is read',
  (size) => {
    const text = `${'x'.repeat(65_537)}\n${'y'.repeat(65_536)}\n`
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    )
    expect(linesOf(chunks)).toEqual([undefined, 'y'.repeat(65_536)])
  },
)
