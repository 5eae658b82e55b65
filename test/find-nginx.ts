import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
  const download = `${CACHE}.${process.pid}`
  try {
    rmSync(download, { recursive: true, force: true })
    mkdirSync(download, { recursive: true })
    execFileSync('apt-get', ['download', 'nginx'], { cwd: download, stdio: 'ignore', timeout: 60_000 })
    const archive = readdirSync(download).find((name) => name.endsWith('.deb'))
    execFileSync('dpkg', ['-x', archive!, '.'], { cwd: download, stdio: 'ignore' })
    if (!existsSync(CACHE)) renameSync(download, CACHE)
  } catch {
    // Not Debian, or not on a network.
  }
  rmSync(download, { recursive: true, force: true })
  const command = join(CACHE, 'usr/sbin/nginx')
  return runs(command) ? command : undefined
}
