import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { run, start } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'tickbucket-shell-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, text: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const SCRIPT = 'LIMIT 1 60\nREQUEST a\nREQUEST a\nNOW 1000\nREQUEST a'
const SAID = '200 X-RateLimit-Remaining: 0\n429 Retry-After: 1\n200 X-RateLimit-Remaining: 0\n'

test('a pipe and a file say the same, and only answers', async () => {
  const right = { status: 0, out: SAID, err: '' }
  expect(await run(['shell'], SCRIPT)).toEqual(right)
  expect(await run(['shell', '-'], SCRIPT)).toEqual(right)
  expect(await run(['shell', fileOf('script', SCRIPT)])).toEqual(right)
})

test('a file is found from where the caller stands, which a package runner hides', async () => {
  fileOf('here', SCRIPT)
  expect(await run(['shell', 'here'], '', { ...process.env, INIT_CWD: folder })).toMatchObject({
    status: 0,
    out: SAID,
  })
})

test.each(['\n', '\r\n'])(
  'lines may end in %o, the last one in nothing, and a byte-order mark may stand before the first',
  async (newline) => {
    expect(await run(['shell'], `\ufeff${SCRIPT.replaceAll('\n', newline)}`)).toEqual({
      status: 0,
      out: SAID,
      err: '',
    })
  },
)

test('bad lines are told by number on standard error, the others go on, and the status is 1', async () => {
  expect(await run(['shell'], `\nnope\nREQUEST a\n${'x'.repeat(1_000_000)}\nNOW -1\nREQUEST a`)).toEqual({
    status: 1,
    out: '200 X-RateLimit-Remaining: 9\n200 X-RateLimit-Remaining: 8\n',
    err: [
      'error: line 2: "nope" is no command; there are LIMIT, NOW, REQUEST, STATUS',
      'error: line 4: the line is longer than any command',
      'error: line 5: the time must be a whole number from 0 to 9007199254740991, not "-1"',
      '',
    ].join('\n'),
  })
})

test('clients that differ in one byte are two, even where the bytes are no text', async () => {
  const word = 'REQUEST '
  const line = (byte: number): Buffer => Buffer.concat([Buffer.from(word), Buffer.of(byte, 10)])
  const { status, out } = await run(
    ['shell'],
    Buffer.concat([Buffer.from('LIMIT 1 1\n'), line(0xff), line(0xfe), line(0), line(0xff)]),
  )
  expect([
    status,
    out
      .trim()
      .split('\n')
      .map((answer) => answer.slice(0, 3)),
  ]).toEqual([0, ['200', '200', '200', '429']])
})

test('what a slow pipe asks is answered before it asks more', async () => {
  const child = start(['shell'])
  for (const remaining of [9, 8, 7]) {
    child.stdin.write('REQUEST a\n')
    const [answer] = (await once(child.stdout, 'data')) as [Buffer]
    expect(answer.toString()).toBe(`200 X-RateLimit-Remaining: ${remaining}\n`)
  }
  child.stdin.end()
  expect(await once(child, 'close')).toEqual([0, null])
})

test('a reader that has read enough ends it quietly', async () => {
  const child = start(['shell', fileOf('long', 'REQUEST a\n'.repeat(200_000))])
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect([await once(child, 'close'), err]).toEqual([[0, null], ''])
})

test.each([
  ['missing', 'tickbucket: cannot read missing: there is no such file\n'],
  ['.', 'tickbucket: cannot read .: it is a folder\n'],
])('a file %o that cannot be read is one line and status 2', async (file, err) => {
  expect(await run(['shell', file], '', { ...process.env, INIT_CWD: folder })).toEqual({
    status: 2,
    out: '',
    err,
  })
})

test('help is help, and anything else is told how it is used', async () => {
  const { out } = await run(['--help'])
  expect(out).toMatch(/^Usage: tickbucket shell \[FILE\]\n/)
  expect(await run(['shell', '--help'])).toEqual({ status: 0, out, err: '' })
  for (const args of [[], ['replay'], ['shell', 'a', 'b']])
    expect(await run(args)).toEqual({ status: 2, out: '', err: out })
})

test('a million lines over ten thousand clients need no more memory than the clients', async () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, index) => `REQUEST client-number-${(index * 7919) % 10_000}\n`,
  ).join('')
  /** The most memory, in kB, that a run over the lines needs. */
  const peakOf = async (times: number): Promise<number> => {
    const child = start(['shell'])
    const answered = (async () => {
      let count = 0
      for await (const chunk of child.stdout) {
        count += (chunk as Buffer).toString().split('\n').length - 1
        if (count === times * 10_000) return
      }
    })()
    for (let time = 0; time < times; time += 1) {
      if (!child.stdin.write(lines)) await once(child.stdin, 'drain')
    }
    await answered
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
    child.stdin.end()
    await once(child, 'close')
    return Number(peak)
  }
  expect((await peakOf(100)) - (await peakOf(10))).toBeLessThan(64_000)
})

test('at a terminal it prompts, and answers at once', () => {
  // `script` of util-linux gives the command a terminal of its own.
  const command = `${process.execPath} --conditions=@tickbucket/source ${join(import.meta.dirname, '../src/main.ts')} shell`
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    input: 'REQUEST a\nnope\n\u0004',
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  expect(stdout).toContain('> ')
  expect(stdout).toContain('200 X-RateLimit-Remaining: 9')
  expect(stdout).toContain('error: line 2: "nope" is no command')
  expect(status).toBe(1)
})
