import { spawnSync } from 'node:child_process'

/** Everything that must hold before a change lands, in the order in which it is cheapest to learn. */
const STEPS: readonly (readonly [what: string, command: string])[] = [
  ['format', 'oxfmt --check'],
  ['lint', 'oxlint'],
  ['types', 'tsc -p .'],
  ['core without a runtime', 'tsc -p packages/core --noEmit'],
  ['import law', 'depcruise --config .dependency-cruiser.cjs packages examples bench test'],
  ['unused code and dependencies', 'knip'],
  ['build', 'tsdown --logLevel warn'],
  ['tests', 'vitest run'],
]

const without = process.argv.includes('--without-tests') ? ['tests'] : []

for (const [what, command] of STEPS.filter(([what]) => !without.includes(what))) {
  process.stdout.write(`\n— ${what}: ${command}\n`)
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write(`\ncheck: ${what} failed\n`)
    process.exit(status ?? 1)
  }
}
