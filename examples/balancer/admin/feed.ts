import type { Response } from 'express'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Shown, takeSnapshot } from './snapshot.ts'

const EVERY_MS = 200

/** Sends a snapshot five times a second, as server-sent events, until the page goes away. */
export async function feed(res: Response, shown: Shown): Promise<void> {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  while (!res.destroyed) {
    const snapshot = JSON.stringify(await takeSnapshot(shown))
    // A page that does not keep up misses some.
    if (!res.writableNeedDrain) res.write(`data: ${snapshot}\n\n`)
    await sleep(EVERY_MS)
  }
}
