import { storeCases } from '@tickbucket/conformance'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { redisStore } from '../src/index.ts'
import { CLIENTS, type Connected } from './support/clients.ts'
import { findRedisServer, type RedisServer, startRedis } from './support/redis-server.ts'

const command = findRedisServer()

describe.skipIf(command === undefined).each(Object.entries(CLIENTS))('through %s', (_name, connect) => {
  let server: RedisServer
  let connected: Connected
  let stores = 0

  beforeAll(async () => {
    server = await startRedis(command!)
    connected = await connect(server.port)
  })
  afterAll(async () => {
    await connected.close()
    await server.kill()
  })

  for (const { name, run } of storeCases) {
    test(name, () =>
      run({
        create(clock) {
          stores += 1
          return redisStore({ client: connected.client, prefix: `case-${stores}:`, clock, timeoutMs: 5000 })
        },
      }),
    )
  }
})
