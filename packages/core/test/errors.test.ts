import { expect, test } from 'vitest'
import { show, TickbucketError } from '../src/errors.ts'

test.each([
  ['text', '"text"'],
  ['a\n"b"', String.raw`"a\n\"b\""`],
  [undefined, 'undefined'],
  [null, 'null'],
  [Number.NaN, 'NaN'],
  [-0.5, '-0.5'],
  [5n, '5n'],
  [Symbol('s'), 'Symbol(s)'],
  [[], 'an empty list'],
  [[1, 2], 'a list of 2'],
  [{}, 'an object'],
  [Promise.resolve(), 'a promise'],
  [() => 1, 'a function'],
])('%o is shown as %s', (value, shown) => {
  expect(show(value)).toBe(shown)
})

test('a long text is shown cut, and whatever it is, showing does not throw', () => {
  expect(show('x'.repeat(1000))).toBe(`"${'x'.repeat(59)}…`)
  const hostile = {
    toString: () => {
      throw new Error('no')
    },
  }
  expect(show(hostile)).toBe('an object')
  expect(show(Object.create(null))).toBe('an object')
})

test('an error carries its code, the option, the value, and where to read on', () => {
  const error = new TickbucketError('INVALID_OPTION', 'capacity', 0, 'No.')
  expect(error).toMatchObject({
    name: 'TickbucketError',
    code: 'INVALID_OPTION',
    option: 'capacity',
    value: 0,
  })
  expect(error.message).toBe('No. [INVALID_OPTION, see docs/errors/INVALID_OPTION.md]')
})
