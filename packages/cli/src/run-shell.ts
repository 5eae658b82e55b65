import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { BadLine, createShell } from './shell.ts'
import { lineCutter } from './lines.ts'

/** What is read, as text of one character a byte, and where answers and errors go. */
export interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly errors: NodeJS.WritableStream
}

/** The bytes of a byte-order mark, one a character. */
const BOM = '\u00ef\u00bb\u00bf'

/** A numbered run of lines through one shell; answers and errors come out in the order of the lines. */
interface Session {
  readonly run: (line: string | undefined) => void
  /** What was said since the last time, as texts for one stream each. */
  taken(): { readonly isError: boolean; readonly text: string }[]
  readonly failed: boolean
}

function createSession(): Session {
  const shell = createShell()
  let number = 0
  let failed = false
  let said: { isError: boolean; text: string }[] = []

  function say(isError: boolean, line: string): void {
    const last = said.at(-1)
    if (last?.isError === isError) last.text += `${line}\n`
    else said.push({ isError, text: `${line}\n` })
  }

  function run(line: string | undefined): void {
    number += 1
    try {
      if (line === undefined) throw new BadLine('the line is longer than any command')
      const answer = shell.run(number === 1 && line.startsWith(BOM) ? line.slice(BOM.length) : line)
      if (answer !== '') say(false, answer)
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      failed = true
      say(true, `error: line ${number}: ${error.message}`)
    }
  }

  return {
    run,
    taken() {
      const taken = said
      said = []
      return taken
    },
    get failed() {
      return failed
    },
  }
}

/**
 * Answers commands as they come, until the input ends: what one chunk asks is answered before the
 * next is read, and never faster than the output takes it. Gives the exit status: 1 if a line was bad.
 */
export async function runShell({ input, output, errors }: Streams): Promise<number> {
  const session = createSession()
  const cutter = lineCutter(session.run)

  async function flush(): Promise<void> {
    for (const { isError, text } of session.taken()) {
      const stream = isError ? errors : output
      if (!stream.write(text)) await once(stream, 'drain')
    }
  }

  for await (const chunk of input) {
    cutter.push(chunk as string)
    await flush()
  }
  cutter.end()
  await flush()
  return session.failed ? 1 : 0
}

/** The same at a terminal: with a prompt, one line at a time. */
export async function runShellAtTerminal({ input, output, errors }: Streams): Promise<number> {
  const session = createSession()
  const terminal = createInterface({ input, output, prompt: '> ' })
  terminal.prompt()
  terminal.on('line', (line) => {
    session.run(Buffer.from(line).toString('latin1'))
    for (const { isError, text } of session.taken()) (isError ? errors : output).write(text)
    terminal.prompt()
  })
  await once(terminal, 'close')
  output.write('\n')
  return session.failed ? 1 : 0
}
