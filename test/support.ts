import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '..')

/** Files below `folder` whose path matches, as paths from the root. */
export function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => pattern.test(path) && !/node_modules|dist\//.test(path))
    .toSorted()
}

/** A file of the repository, as text. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
