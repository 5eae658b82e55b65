import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fullestWindow, passedUnder } from './adversary.ts'
import { DRAWN, LIMITS } from './limits.ts'
import { svgOf } from './plot-svg.ts'

const MINUTE = 60_000
/** Silent up to ten seconds before a minute ends, so that the fixed window shows its two bursts. */
const FROM_MS = 50_000

/** `docs/plots/SHAPE.svg` of each shape: what it lets through to a client that was silent and then wants all it can get. */
export function plots(): ReadonlyMap<string, string> {
  return new Map(
    DRAWN.map((call) => {
      const policy = LIMITS[call]!
      const passed = passedUnder(policy, [{ silentMs: FROM_MS, greedyMs: 3 * MINUTE }])
      const svg = svgOf({
        title: call,
        passed,
        marked: fullestWindow(passed, MINUTE),
        markedMs: MINUTE,
        slope: policy.rate / policy.periodMs,
        fromMs: FROM_MS,
      })
      return [`docs/plots/${policy.shape}.svg`, svg]
    }),
  )
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, svg] of plots()) writeFileSync(join(import.meta.dirname, '../../..', path), svg)
}
