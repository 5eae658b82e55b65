#!/usr/bin/env node
import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { runShell, runShellAtTerminal } from './run-shell.ts'

const USAGE = `Usage: tickbucket shell [FILE]

Reads commands, one a line, from FILE or standard input, and prints answers.

  LIMIT <capacity> <per_minute>   sets the limit for every client and forgets their buckets
  NOW <ms>                        sets the clock
  REQUEST <client>                takes a token: 200 with what is left, or 429 with the wait in seconds
  STATUS <client>                 shows the tokens that are left, takes none

It starts at time 0 with 10 tokens for each client, and 60 per minute. The exit status is 1 if a
line was no command, and 2 if FILE cannot be read.
`

async function main(args: readonly string[]): Promise<number> {
  const [command, file, ...more] = args
  if ([command, file].some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(USAGE)
    return 0
  }
  if (command !== 'shell' || file === '' || more.length > 0) {
    process.stderr.write(USAGE)
    return 2
  }
  const { stdin, stdout, stderr } = process
  if (file !== undefined && file !== '-') return runFile(file)
  if (stdin.isTTY && stdout.isTTY) return runShellAtTerminal({ input: stdin, output: stdout, errors: stderr })
  return runShell({ input: stdin.setEncoding('latin1'), output: stdout, errors: stderr })
}

async function runFile(file: string): Promise<number> {
  // A package runner may have changed the folder from the one that the name is meant from.
  const path = existsSync(file) ? file : resolve(process.env['INIT_CWD'] ?? '.', file)
  try {
    const input = createReadStream(path, { encoding: 'latin1' })
    return await runShell({ input, output: process.stdout, errors: process.stderr })
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException
    if (syscall !== 'open' && syscall !== 'read') throw error
    const why: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder',
      EACCES: 'permission denied',
    }
    process.stderr.write(`tickbucket: cannot read ${file}: ${why[code ?? ''] ?? code}\n`)
    return 2
  }
}

// Whoever reads our answers may have read enough.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

process.exitCode = await main(process.argv.slice(2))
