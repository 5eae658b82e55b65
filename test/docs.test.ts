import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, read, ROOT } from './support.ts'

const PAGES = [
  ...filesBelow('docs', /\.md$/),
  'examples/balancer/README.md',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
]

test('every error code has a page, and every page a code', () => {
  const union = /export type ErrorCode =([^;]*?)\n\n/.exec(read('packages/core/src/errors.ts'))?.[1] ?? ''
  const codes = [...union.matchAll(/'([A-Z_]+)'/g)]
    .map(([, code = '']) => code)
    .toSorted((a, b) => (a < b ? -1 : 1))
  expect(codes.length).toBeGreaterThan(5)
  expect(filesBelow('docs/errors', /\.md$/)).toEqual(codes.map((code) => `docs/errors/${code}.md`))
  for (const code of codes)
    expect(read(`docs/errors/${code}.md`)).toMatch(new RegExp(`^# ${code}\\n[^]*\\*\\*Way out\\.\\*\\*`))
})

test.each(PAGES)('every link of %s leads somewhere', (page) => {
  for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    expect(existsSync(join(ROOT, file)), `${page} links to ${target}`).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(read(file)), `${page} links to ${target}`).toContain(anchor)
  }
})

test('every file that ARCHITECTURE.md names is there', () => {
  const named = [...read('ARCHITECTURE.md').matchAll(/`((?:core|test)\/[\w./-]+\.ts)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(10)
  for (const path of named)
    expect(existsSync(join(ROOT, path.startsWith('core') ? `packages/${path}` : path)), path).toBe(true)
})

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('the example of the command line is what the command says', () => {
  const page = read('docs/command-line.md')
  const [, said = '', script = ''] = /```console\n\$ [^\n]*\n([^]*?)```[^]*?```\n([^]*?)```/.exec(page) ?? []
  expect(read('docs/example.shell')).toBe(script)
  const command = [
    '--conditions=@tickbucket/source',
    'packages/cli/src/main.ts',
    'shell',
    'docs/example.shell',
  ]
  expect(execFileSync(process.execPath, command, { cwd: ROOT, encoding: 'utf8', env: {} })).toBe(said)
})
