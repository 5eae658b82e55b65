import { existsSync } from 'node:fs'

/** `bench <name>` runs the file of that name beside this one; it reads what else it takes from `process.argv`. */
const [, , name = ''] = process.argv
const file = new URL(`./${name}.ts`, import.meta.url)
if (!/^[a-z-]+$/.test(name) || name === 'main' || !existsSync(file)) {
  process.stderr.write(`bench: there is no bench '${name}'\n`)
  process.exit(2)
}
await import(file.href)
