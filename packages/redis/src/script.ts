import { createHash } from 'node:crypto'
import type { Policy } from '@tickbucket/core'
import { fixedWindowLua } from './lua/fixed-window.lua.ts'
import { slidingWindowLua } from './lua/sliding-window.lua.ts'
import { headLua, takeLua } from './lua/take.lua.ts'
import { tokenBucketLua } from './lua/token-bucket.lua.ts'

/** A script, and the name by which a server that has seen it knows it. */
export interface Script {
  readonly source: string
  readonly sha: string
}

const FRAGMENTS: { readonly [shape in Policy['shape']]: string } = {
  'token-bucket': tokenBucketLua,
  'leaky-bucket': tokenBucketLua,
  'fixed-window': fixedWindowLua,
  'sliding-window': slidingWindowLua,
}

const made = new Map<string, Script>()

/** The script that decides takes under policies of these shapes: the shapes that nobody uses are not in it. */
export function takeScript(shapes: ReadonlySet<Policy['shape']>): Script {
  const fragments = [...new Set([...shapes].map((shape) => FRAGMENTS[shape]))].toSorted()
  return scriptOf(headLua + fragments.join('') + takeLua)
}

function scriptOf(source: string): Script {
  let script = made.get(source)
  if (script === undefined) {
    script = { source, sha: createHash('sha1').update(source).digest('hex') }
    made.set(source, script)
  }
  return script
}
