import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The command as a process of its own. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ['--conditions=@tickbucket/source', MAIN, ...args], { env })
}

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command to its end, with `input` on its standard input. */
export async function run(
  args: readonly string[],
  input: string | Buffer = '',
  env?: NodeJS.ProcessEnv,
): Promise<Ended> {
  const child = start(args, env)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('latin1')))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, out, err }
}
