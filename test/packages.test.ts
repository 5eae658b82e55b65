import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { beforeAll, describe, expect, test } from 'vitest'
import { filesBelow, ROOT } from './support.ts'

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const FOLDERS = filesBelow('packages', /^packages\/[^/]+\/package\.json$/).map((path) =>
  join(ROOT, path, '..'),
)
const LIBRARIES = FOLDERS.filter((folder) => manifestOf(folder).exports !== undefined)

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Where a packed package lies: below its own dependencies, and not below its sources. */
function packedHome(folder: string): string {
  return join(folder, 'node_modules/.cache/packed')
}

function packedPackage(folder: string): string {
  return join(packedHome(folder), 'package')
}

/** pnpm is on the path of every script that it runs, and a package runner away otherwise. */
function pnpm(folder: string, ...args: readonly string[]): void {
  const isOnPath = process.env['npm_config_user_agent']?.startsWith('pnpm') === true
  const command = isOnPath ? 'pnpm' : 'npx'
  execFileSync(command, [...(isOnPath ? [] : ['-y', 'pnpm@12.4.2']), ...args], { cwd: folder, stdio: 'pipe' })
}

beforeAll(() => {
  execFileSync(join(ROOT, 'node_modules/.bin/tsdown'), ['--logLevel', 'error'], { cwd: ROOT, stdio: 'pipe' })
  for (const folder of FOLDERS) {
    const home = packedHome(folder)
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    pnpm(folder, 'pack', '--out', join(home, 'packed.tgz'))
    execFileSync('tar', ['-xzf', 'packed.tgz'], { cwd: home })
  }
}, 120_000)

describe.each(FOLDERS.map((folder) => [manifestOf(folder).name, packedPackage(folder)]))(
  '%s, packed',
  (_name, packed) => {
    test('is what a registry expects', async () => {
      const { messages } = await publint({ pkgDir: packed, pack: false, strict: true })
      expect(messages).toEqual([])
    })

    test('names no source and no workspace, and ships its licence', () => {
      const { exports = {}, dependencies = {} } = manifestOf(packed)
      expect(JSON.stringify(exports)).not.toContain('@tickbucket/source')
      expect(Object.values(dependencies).filter((range) => range.startsWith('workspace:'))).toEqual([])
      expect(existsSync(join(packed, 'LICENSE'))).toBe(true)
    })

    test('has sources behind its maps', () => {
      const maps = filesIn(packed).filter((path) => /\.[cm]js\.map$/.test(path))
      expect(maps.length).toBeGreaterThan(0)
      for (const path of maps) {
        const { sourcesContent } = JSON.parse(readFileSync(path, 'utf8')) as { sourcesContent: unknown[] }
        expect(sourcesContent.length, path).toBeGreaterThan(0)
        expect(
          sourcesContent.every((text) => typeof text === 'string'),
          path,
        ).toBe(true)
      }
    })
  },
)

describe.each(LIBRARIES.map((folder) => [manifestOf(folder).name, packedPackage(folder)]))(
  '%s, packed',
  (name, packed) => {
    test('K02 gives the same names to import and to require, and one instance to both', () => {
      writeFileSync(join(packed, 'check.mjs'), checkOf(name))
      const out = execFileSync(process.execPath, ['check.mjs'], { cwd: packed, encoding: 'utf8' })
      const seen = JSON.parse(out) as { names: string[]; same: boolean; cjs: string[] }
      expect(seen.names.length).toBeGreaterThan(0)
      expect(seen.same).toBe(true)
      expect(seen.cjs).toEqual(seen.names)
    })
  },
)

/** A program inside the package, which may import it by its own name, by way of its own `exports`. */
function checkOf(name: string): string {
  return `
    import * as imported from '${name}'
    import { createRequire } from 'node:module'
    const require = createRequire(import.meta.url)
    const required = require('${name}')
    const namesOf = (module) => Object.keys(module).filter((key) => !['module.exports', 'default'].includes(key)).sort()
    const names = namesOf(imported)
    const same = names.every((key) => imported[key] === required[key])
    console.log(JSON.stringify({ names, same, cjs: namesOf(require('./dist/index.cjs')) }))`
}

describe('a TypeScript consumer of the packed packages', () => {
  const home = join(packedHome(join(ROOT, 'packages/core')), 'consumer')

  test.each([
    ['module', 'mts'],
    ['commonjs', 'cts'],
  ])('K01 compiles as %s', (_type, extension) => {
    mkdirSync(join(home, 'node_modules/@tickbucket'), { recursive: true })
    for (const name of ['core', 'conformance']) {
      cpSync(
        join(packedHome(join(ROOT, 'packages', name)), 'package'),
        join(home, 'node_modules/@tickbucket', name),
        { recursive: true },
      )
    }
    writeFileSync(
      join(home, `use.${extension}`),
      `import { createLimiter, memoryStore, type Decision } from '@tickbucket/core'
       import { manualClock } from '@tickbucket/conformance'
       const decision: Decision = createLimiter({ capacity: 1, perMinute: 1, store: memoryStore({ clock: manualClock() }) }).take('a')
       export const left: number = decision.remaining
       // @ts-expect-error: a misspelt option does not compile
       createLimiter({ capacity: 1, perMinite: 1 })`,
    )
    writeFileSync(
      join(home, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          module: 'node20',
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
        },
        files: [`use.${extension}`],
      }),
    )
    expect(spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [], { cwd: home, encoding: 'utf8' })).toMatchObject(
      { stdout: '', status: 0 },
    )
  })
})

function filesIn(folder: string): string[] {
  return execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n')
}
