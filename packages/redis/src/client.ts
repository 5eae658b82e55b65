/** Anything that can run a script: the two methods that the store needs of a client. */
export interface ScriptRunner {
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  eval(source: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Whether keys live on several nodes, so that a script may use those of one slot alone. */
  readonly isCluster?: boolean
}

/** What is used of ioredis 5 and 6: a single server, Sentinel or Cluster; iovalkey is like it. */
export interface IoredisClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(source: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>
  defineCommand(...args: never[]): unknown
  readonly isCluster?: boolean
  readonly options?: object
}

/** What is used of node-redis 4 to 6: a client, a pool, a cluster or Sentinel. */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(source: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Only a cluster has slots. */
  readonly slots?: unknown
}

export type RedisClient = IoredisClient | NodeRedisClient | ScriptRunner

/** A client of any kind as a runner of scripts; `undefined` if it is none. Nothing is sent. */
export function scriptRunner(client: unknown): ScriptRunner | undefined {
  if (typeof client !== 'object' || client === null) return undefined
  if (isNodeRedis(client)) {
    return {
      evalsha: (sha, keys, args) => client.evalSha(sha, { keys: [...keys], arguments: [...args] }),
      eval: (source, keys, args) => client.eval(source, { keys: [...keys], arguments: [...args] }),
      isCluster: client.slots !== undefined,
    }
  }
  if (isIoredis(client)) {
    return {
      evalsha: (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
      eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
      isCluster: client.isCluster === true,
    }
  }
  return isRunner(client) ? client : undefined
}

/** Why commands of this client may wait for ever for a server that is gone; `undefined` if they do not. */
export function patienceOf(client: object): string | undefined {
  const { maxRetriesPerRequest, disableOfflineQueue } = ((client as { options?: unknown }).options ?? {}) as {
    maxRetriesPerRequest?: number | null
    disableOfflineQueue?: boolean
  }
  if (isNodeRedis(client))
    return 'options' in client && disableOfflineQueue !== true
      ? 'This node-redis client lacks disableOfflineQueue: true'
      : undefined
  return maxRetriesPerRequest === null ? 'This ioredis client has maxRetriesPerRequest: null' : undefined
}

function isNodeRedis(client: object): client is NodeRedisClient {
  return typeof (client as Partial<NodeRedisClient>).evalSha === 'function'
}

function isIoredis(client: object): client is IoredisClient {
  return typeof (client as Partial<IoredisClient>).defineCommand === 'function'
}

function isRunner(client: object): client is ScriptRunner {
  const { evalsha, eval: evaluate } = client as Partial<ScriptRunner>
  return typeof evalsha === 'function' && typeof evaluate === 'function'
}
