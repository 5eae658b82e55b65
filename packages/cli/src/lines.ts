/** No command is longer; what is would only fill the memory. */
const LONGEST_LINE = 65_536

/** A line without its end, or `undefined` in place of one that was too long to be read. */
export type LineReader = (line: string | undefined) => void

/**
 * Cuts chunks of text into lines: `push` what comes, `end` what is left. Text of one line may come
 * in many chunks, and the last line needs no newline.
 */
export function lineCutter(read: LineReader): { push(chunk: string): void; end(): void } {
  let held = ''
  let isSkipping = false

  function finish(rest: string): void {
    if (isSkipping || held.length + rest.length > LONGEST_LINE) read(undefined)
    else read(held + rest)
    held = ''
    isSkipping = false
  }

  return {
    push(chunk) {
      let start = 0
      for (let newline = chunk.indexOf('\n'); newline >= 0; newline = chunk.indexOf('\n', start)) {
        finish(chunk.slice(start, newline))
        start = newline + 1
      }
      if (!isSkipping) held += chunk.slice(start)
      if (held.length > LONGEST_LINE) {
        held = ''
        isSkipping = true
      }
    },
    end() {
      if (isSkipping || held !== '') finish('')
    },
  }
}
