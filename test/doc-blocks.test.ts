import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, read, ROOT } from './support.ts'

const PAGES = ['README.md', ...filesBelow('docs', /\.md$/), ...filesBelow('packages', /\/README\.md$/)]

/** Error pages also show what is wrong, which need not compile. */
const BLOCKS = PAGES.filter((page) => !page.startsWith('docs/errors/')).flatMap((page) =>
  [...read(page).matchAll(/```ts\n([^]*?)```/g)].map(([, code = ''], index) => ({ page, index, code })),
)

/** What the pages take for granted: an app, its server, its handlers, who its users are. */
const AMBIENT = `
declare const app: import('express').Express
declare const server: import('node:http').Server
declare const login: import('express').RequestHandler
declare function userOf(req: object): { tenant: string; name: string } | undefined
declare function createApp(options?: object): import('express').Express
`

test('every block of TypeScript in the docs compiles against the sources', () => {
  expect(BLOCKS.length).toBeGreaterThan(5)
  const home = join(import.meta.dirname, 'node_modules/.cache/doc-blocks')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'ambient.d.ts'), AMBIENT)
  for (const { page, index, code } of BLOCKS) {
    writeFileSync(join(home, `${page.replaceAll('/', '-')}-${index}.ts`), `${code}\nexport {}\n`)
  }
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts'],
      exclude: [],
    }),
  )
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', home], {
    cwd: home,
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
})
