import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { portFromEnv } from '../listen.ts'

/**
 * Starts a Redis of its own, or uses the one that `REDIS_PORT` names, and two servers that share one
 * limit: on the port that `PORT` names and on the next. Ctrl-C stops all of them.
 */
const children: ChildProcess[] = []
process.on('exit', () => {
  for (const child of children) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit())

const redisPort = process.env['REDIS_PORT'] ?? (await startRedis())
const port = portFromEnv()
for (const own of port === 0 ? [0, 0] : [port, port + 1]) {
  const env = { ...process.env, PORT: String(own), REDIS_PORT: redisPort }
  const child = spawn(process.execPath, ['--conditions=@tickbucket/source', 'server.ts'], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  child.on('exit', (status) => process.exit(status ?? 1))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  process.stdout.write(line)
}
console.log('Ask one and then the other: they count as one.')

async function startRedis(): Promise<string> {
  const names = [process.env['REDIS_SERVER'], 'redis-server', 'valkey-server']
  const command = names.find((name) => name !== undefined && spawnSync(name, ['--version']).status === 0)
  if (command === undefined) {
    console.error(
      'No redis-server or valkey-server on the path. Install one (on Debian: apt-get install redis-server), ' +
        'name it in REDIS_SERVER, or name the port of one that runs in REDIS_PORT.',
    )
    process.exit(1)
  }
  const port = '16379'
  const child = spawn(command, ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  for await (const chunk of child.stdout) {
    if (String(chunk).includes('Ready to accept connections')) break
    if (String(chunk).includes('Address already in use')) {
      console.error(
        `Port ${port}, which this example's Redis wants, is in use. Name the port of a Redis that runs in REDIS_PORT.`,
      )
      process.exit(1)
    }
  }
  return port
}
