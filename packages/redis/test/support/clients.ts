import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { createClient } from 'redis'
import type { RedisClient } from '../../src/index.ts'

/** A connected client, and how to be rid of it. */
export interface Connected {
  readonly client: RedisClient
  close(): Promise<void>
}

/** An ioredis client that fails fast, as the docs recommend. */
export function ioredis(port: number, options: object = {}): Redis {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    enableOfflineQueue: true,
    maxRetriesPerRequest: 1,
    ...options,
  })
  // Without a listener ioredis writes to the console.
  client.on('error', () => undefined)
  return client
}

/** Each client that the store takes as it comes, connected to one server. */
export const CLIENTS: Readonly<Record<string, (port: number) => Promise<Connected>>> = {
  async 'ioredis 6'(port) {
    const client = ioredis(port)
    return { client, close: async () => client.disconnect() }
  },
  async 'ioredis 5'(port) {
    const client = new Redis5({ port, host: '127.0.0.1' })
    return { client, close: async () => client.disconnect() }
  },
  async 'node-redis 6'(port) {
    const client = await createClient({
      url: `redis://127.0.0.1:${port}`,
      disableOfflineQueue: true,
    }).connect()
    return { client, close: async () => client.destroy() }
  },
}
