import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Unpacks packages of Debian into a folder, for programs that tests need and the machine does not
 * have. Nothing is installed, no root is needed, and the lists of packages are read anew. `finish`
 * may change what was unpacked before it stands in the folder; of several who unpack at once, the
 * first one's stays.
 *
 * @throws what stood in the way: not Debian, or not on a network.
 */
export function unpackDebian(
  packages: readonly string[],
  folder: string,
  finish: (root: string) => void = () => undefined,
): void {
  mkdirSync(dirname(folder), { recursive: true })
  const home = mkdtempSync(`${folder}.`)
  const run = (command: string, ...args: readonly string[]): void =>
    void execFileSync(command, args, { cwd: home, stdio: 'pipe', timeout: 120_000 })
  const apt = (...args: readonly string[]): void =>
    run(
      'apt-get',
      '-o',
      `Dir::State::lists=${home}/lists`,
      '-o',
      `Dir::Cache=${home}/cache`,
      '-o',
      'APT::Sandbox::User=root',
      ...args,
    )
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'root'])
      mkdirSync(join(home, name), { recursive: true })
    apt('update')
    apt('download', ...packages)
    run('sh', '-c', 'for package in *.deb; do dpkg -x "$package" root; done')
    finish(join(home, 'root'))
    if (!existsSync(folder)) renameSync(join(home, 'root'), folder)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
