import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { unpackDebian } from '../scripts/unpack-debian.ts'
import { ROOT } from './support.ts'

const CACHE = join(ROOT, 'node_modules/.cache/nginx')

/**
 * A real nginx: the one on the path, or Debian's package unpacked below `node_modules/.cache`, which
 * needs no root. `undefined` where there is neither it nor Debian's tools.
 */
export function findNginx(): string | undefined {
  const candidates = ['nginx', '/usr/sbin/nginx', join(CACHE, 'usr/sbin/nginx')]
  return candidates.find(runs) ?? unpacked()
}

function runs(command: string): boolean {
  return spawnSync(command, ['-v'], { stdio: 'ignore' }).status === 0
}

function unpacked(): string | undefined {
  try {
    unpackDebian(['nginx'], CACHE)
  } catch {
    return undefined
  }
  const command = join(CACHE, 'usr/sbin/nginx')
  return runs(command) ? command : undefined
}
