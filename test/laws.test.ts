import { expect, test } from 'vitest'
import { filesBelow, read } from './support.ts'

const SOURCES = filesBelow('packages', /\/src\/.*\.ts$/)

/** What conformance checks it must say in words of its own. */
const CHECKS = /^packages\/conformance\//

/** A source without its comments: they may speak of anything. */
function codeOf(path: string): string {
  return read(path).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** A law of the house that can be read off the text: where something may stand, and why nowhere else. */
interface Law {
  readonly what: string
  readonly pattern: RegExp
  readonly only: RegExp
  readonly why: string
}

const NOWHERE = /^$/

const LAWS: readonly Law[] = [
  {
    what: 'a clock',
    pattern: /\bDate\.now\(|\bperformance\.(now|timeOrigin)|\bnew Date\(\)/,
    only: /^packages\/(core\/src\/clock|redis\/src\/own-time)\.ts$/,
    why: 'time is an argument; one file reads it, and one more for deadlines',
  },
  {
    what: 'a timer',
    pattern: /\bset(Timeout|Interval|Immediate)\(/,
    only: /^packages\/(core\/src\/http\/pacing|redis\/src\/(caller|redis-store))\.ts$/,
    why: 'nothing happens in the background; a timer is for what is really waited for',
  },
  {
    what: 'the name of a rate-limit field',
    pattern: /['"`](X-|x-)?(RateLimit|ratelimit-|Retry-After|retry-after)/,
    only: /^packages\/core\/src\/http\/fields\.ts$/,
    why: 'header names and their syntax have one home',
  },
  {
    what: 'the console',
    pattern: /\bconsole\./,
    only: NOWHERE,
    why: 'a library warns through process.emitWarning, and the command writes to its streams',
  },
  {
    what: 'any, or a silenced compiler',
    pattern: /\bas any\b|: any\b|<any>|@ts-/,
    only: NOWHERE,
    why: 'the types are what users read first',
  },
]

test('the laws see the sources', () => {
  expect(SOURCES.length).toBeGreaterThan(20)
  expect(SOURCES).toContain('packages/core/src/shapes/token-bucket.ts')
})

test.each(LAWS)('$what stands only where it may: $why', ({ pattern, only }) => {
  expect(
    SOURCES.filter((path) => !only.test(path) && !CHECKS.test(path) && pattern.test(codeOf(path))),
  ).toEqual([])
})

test.each(LAWS.filter(({ only }) => only !== NOWHERE))(
  'the law about $what recognises it',
  ({ pattern, only }) => {
    expect(SOURCES.filter((path) => only.test(path) && pattern.test(codeOf(path)))).not.toEqual([])
  },
)

test('core declares no dependency', () => {
  expect(JSON.parse(read('packages/core/package.json'))).not.toHaveProperty('dependencies')
})

test('no package loosens the compiler', () => {
  for (const path of filesBelow('packages', /tsconfig\.json$/)) {
    const { compilerOptions } = JSON.parse(read(path)) as { compilerOptions: object }
    expect(
      Object.keys(compilerOptions).filter(
        (option) => !['rootDir', 'outDir', 'tsBuildInfoFile', 'types'].includes(option),
      ),
      path,
    ).toEqual([])
  }
})

test('every source file is one fact: 250 lines at the most', () => {
  expect(SOURCES.filter((path) => read(path).split('\n').length > 251)).toEqual([])
})
