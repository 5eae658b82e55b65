import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, ROOT } from './support.ts'

interface Found {
  readonly modules: readonly string[]
  readonly violations: readonly { readonly from: string; readonly rule: string }[]
}

/** What dependency-cruiser says of some folders of a tree, by the law of the house. */
function cruise(tree: string, folders: readonly string[]): Found {
  const law = join(ROOT, '.dependency-cruiser.cjs')
  const { stdout, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/depcruise'),
    ['--config', law, '--output-type', 'json', ...folders],
    { cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  expect(stderr).toBe('')
  const { modules, summary } = JSON.parse(stdout) as {
    modules: { source: string }[]
    summary: { violations: { from: string; rule: { name: string } }[] }
  }
  return {
    modules: modules.map(({ source }) => source),
    violations: summary.violations.map(({ from, rule }) => ({ from, rule: rule.name })),
  }
}

test('the law sees every source, and none breaks it', () => {
  const { modules, violations } = cruise(ROOT, ['packages', 'examples', 'test'])
  expect(violations).toEqual([])
  expect(filesBelow('packages', /\/src\/.*\.ts$/).filter((path) => !modules.includes(path))).toEqual([])
})

/** Imports that must not be, and the rule that says so. */
const PLANTED = [
  ['packages/core/src/http/planted-1.ts', 'node:net', 'core-imports-nobody'],
  ['packages/core/src/http/planted-2.ts', 'express', 'core-imports-nobody'],
  ['packages/core/src/shapes/planted-3.ts', '../stores/store.ts', 'shapes-know-no-store'],
  ['packages/core/src/stores/planted-4.ts', '../limiter.ts', 'stores-know-no-limiter'],
  ['packages/core/src/stores/planted-5.ts', '../http/guard.ts', 'stores-know-no-limiter'],
  ['packages/core/src/planted-6.ts', './http/guard.ts', 'limiter-knows-no-http'],
  ['packages/express/src/planted-7.ts', '../../cli/src/main.ts', 'siblings-are-strangers'],
  ['packages/express/src/planted-8.ts', '../../../examples/express/app.ts', 'nobody-imports-examples'],
  ['packages/core/src/planted-9.ts', './planted-9.ts', 'no-cycles'],
] as const

test('an import that breaks the law is caught', () => {
  const tree = mkdtempSync(join(tmpdir(), 'tickbucket-law-'))
  for (const folder of ['packages', 'examples']) {
    cpSync(join(ROOT, folder), join(tree, folder), {
      recursive: true,
      filter: (path) => !/node_modules|dist/.test(path),
    })
  }
  for (const [path, imported] of PLANTED)
    writeFileSync(join(tree, path), `import ${JSON.stringify(imported)}\n`)
  const { violations } = cruise(tree, ['packages'])
  rmSync(tree, { recursive: true })
  for (const [from, , rule] of PLANTED) expect(violations).toContainEqual({ from, rule })
})
