import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one line that any tool can read: `vitest: N passed, N failed`. */
export default class PlainCountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      let failedHere = 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') count.passed += 1
        else if (state === 'failed') failedHere += 1
        else count.skipped += 1
      }
      // A module that could not be loaded, or whose hook failed, has no failed test to show for it.
      count.failed += module.state() === 'failed' ? Math.max(1, failedHere) : failedHere
    }
    if (modules.length === 0) count.failed += 1
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`\nvitest: ${count.passed} passed, ${count.failed} failed${skipped}\n`)
  }
}
