import { execFileSync, type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackDebian } from '../../../../scripts/unpack-debian.ts'

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/redis-server')
const PACKAGES = ['redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1']

/**
 * A Redis or Valkey server to run: `REDIS_SERVER`, or one on the path, or one that is fetched from
 * Debian's packages into a cache, without being installed. `undefined` if none can be had; with `CI`
 * set, that is an error.
 */
export function findRedisServer(): string | undefined {
  const named = process.env['REDIS_SERVER']
  const found = [named, 'redis-server', 'valkey-server', join(CACHE, 'redis-server')].find(
    (command) => command !== undefined && command !== '' && spawnSync(command, ['--version']).status === 0,
  )
  if (found !== undefined) return found
  const why = fetchRedisServer()
  if (why === undefined) return join(CACHE, 'redis-server')
  const message = `no redis-server or valkey-server on the path, and none could be fetched: ${why}`
  if (process.env['CI']) throw new Error(message)
  process.stderr.write(
    `\n${message}\nThe tests against real servers are skipped. Install one, or name it in REDIS_SERVER.\n\n`,
  )
  return undefined
}

/** Unpacks Debian's packages below the cache; gives what stood in the way, if something did. */
function fetchRedisServer(): string | undefined {
  try {
    unpackDebian(PACKAGES, CACHE, (root) => {
      // One program under two names: what it is called decides what it does.
      symlinkSync('redis-check-rdb', join(root, 'usr/bin/redis-server'))
      const libraries = execFileSync('find', [root, '-name', '*.so*', '-printf', `${CACHE}/%P\n`], {
        encoding: 'utf8',
      })
      const path = [...new Set(libraries.trim().split('\n').map(dirname))].join(':')
      for (const name of ['redis-server', 'redis-cli']) {
        writeFileSync(
          join(root, name),
          `#!/bin/sh\nLD_LIBRARY_PATH="${path}" exec "${CACHE}/usr/bin/${name}" "$@"\n`,
        )
        chmodSync(join(root, name), 0o755)
      }
    })
    return undefined
  } catch (error) {
    return (error as Error).message.split('\n')[0]
  }
}

/** A server that a test started, and may treat badly. */
export interface RedisServer {
  readonly port: number
  readonly process: ChildProcess
  /** Sends a signal, and waits for the end if it is one. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** A port that nobody uses just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts a server on a free port of loopback, or on the given one, without anything on disk; or with
 * whole other arguments `instead`.
 */
export async function startRedis(
  command: string,
  args: readonly string[] = [],
  port?: number,
  instead?: readonly string[],
): Promise<RedisServer> {
  const used = port ?? (await freePort())
  const folder = mkdtempSync(join(tmpdir(), 'tickbucket-redis-'))
  const defaults = [
    '--port',
    String(used),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ]
  const child = spawn(command, [...(instead ?? defaults), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let log = ''
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      log += chunk.toString()
      if (/Ready to accept connections|\+monitor master/.test(log)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`redis-server ended at once: ${log}`)))
  })
  child.once('exit', () => {
    running.delete(child)
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
  })
  await Promise.race([
    ready,
    sleep(10_000).then(() => Promise.reject(new Error(`redis-server did not start: ${log}`))),
  ])
  return {
    port: used,
    process: child,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      if (signal === 'SIGKILL' || signal === 'SIGTERM')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
