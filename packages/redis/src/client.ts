/** Anything that can run a script: the two methods that the store needs of a client. */
export interface ScriptRunner {
  evalsha(sha: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  eval(source: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Whether keys live on several nodes, so that a script may use those of one slot alone. */
  readonly isCluster?: boolean
  /** The node where a slot of a cluster lives, by any name; `undefined`: not known. */
  nodeOf?(slot: number): string | undefined
}

/** What is used of ioredis 5 and 6: a single server, Sentinel or Cluster; iovalkey is like it. */
export interface IoredisClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(source: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>
  defineCommand(...args: never[]): unknown
  pipeline(): { evalsha(sha: string, numberOfKeys: number, ...keysAndArgs: string[]): Executable }
  readonly isCluster?: boolean
  readonly options?: object
  /** The addresses of the nodes of each slot, the primary first. */
  readonly slots?: readonly (readonly string[] | undefined)[]
}

interface Executable {
  exec(): Promise<[error: Error | null, result: unknown][] | null>
}

/** What is used of node-redis 4 to 6: a client, a pool, a cluster or Sentinel. */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(source: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Only a cluster has slots. */
  readonly slots?: readonly ({ readonly master?: { readonly address?: string } } | undefined)[]
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
      nodeOf: (slot) => client.slots?.[slot]?.master?.address,
    }
  }
  if (isIoredis(client)) {
    return {
      evalsha: pipelinesBySha(client)
        ? (sha, keys, args) => alone(client, sha, keys, args)
        : (sha, keys, args) => client.evalsha(sha, keys.length, ...keys, ...args),
      eval: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
      isCluster: client.isCluster === true,
      nodeOf: (slot) => client.slots?.[slot]?.[0],
    }
  }
  return isRunner(client) ? client : undefined
}

/** A cluster of ioredis 5 that pipelines by itself takes the sha of a script for a key, and fails. */
function pipelinesBySha({ isCluster, options }: IoredisClient): boolean {
  const { enableAutoPipelining } = (options ?? {}) as { enableAutoPipelining?: boolean }
  return isCluster === true && enableAutoPipelining === true
}

/** Runs a script in a pipeline of its own, which is sent as it is. */
async function alone(
  client: IoredisClient,
  sha: string,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const [answer] = (await client
    .pipeline()
    .evalsha(sha, keys.length, ...keys, ...args)
    .exec()) ?? [[new Error('The pipeline was not carried out.'), undefined]]
  const [error, result] = answer!
  if (error !== null) throw error
  return result
}

/** Why commands of this client may wait for ever for a server that is gone; `undefined` if it says nothing of that. */
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
