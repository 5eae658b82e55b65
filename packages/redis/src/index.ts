export { redisStore, type RedisStore } from './redis-store.ts'
export type { RedisStoreOptions } from './settings.ts'
export { RedisStoreError, type RedisStoreErrorCode } from './store-error.ts'
export type { IoredisClient, NodeRedisClient, RedisClient, ScriptRunner } from './client.ts'
