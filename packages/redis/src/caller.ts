import type { ScriptRunner } from './client.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { ownTime } from './own-time.ts'
import type { Script } from './script.ts'
import { RedisStoreError } from './store-error.ts'

/** Runs scripts on servers that may be slow, gone or wrong, and never waits longer than it says. */
export interface Caller {
  /**
   * Runs a script once on a node; rejects with a `RedisStoreError`, at the latest at this process's
   * time `until`. Only an answer of NOSCRIPT is asked again, with the source: any other call might
   * have been carried out.
   */
  call(
    node: string,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    until: number,
  ): Promise<unknown>
}

export function createCaller(runner: ScriptRunner): Caller {
  const breakers = new Map<string, Breaker>()

  function breakerOf(node: string): Breaker {
    let breaker = breakers.get(node)
    if (breaker === undefined) breakers.set(node, (breaker = createBreaker()))
    return breaker
  }

  async function run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    try {
      return await runner.evalsha(script.sha, keys, args)
    } catch (error) {
      if (!messageOf(error).startsWith('NOSCRIPT')) throw error
      return runner.eval(script.source, keys, args)
    }
  }

  return {
    async call(node, script, keys, args, until) {
      const now = ownTime().mono
      const attempt = breakerOf(node).attempt(now)
      if (attempt === undefined)
        throw new RedisStoreError(
          'REDIS_DOWN',
          'Redis has failed several times and is left alone for a while.',
        )
      try {
        const answer = await inTime(run(script, keys, args), Math.max(1, until - now))
        attempt.succeeded()
        return answer
      } catch (error) {
        attempt.failed(ownTime().mono)
        if (error instanceof RedisStoreError) throw error
        throw new RedisStoreError('REDIS_FAILED', `Redis failed: ${messageOf(error)}`, error)
      }
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The answer, or a failure when the time is up. No client can be relied on for that: with a server
 * that is frozen their own time-outs do not fire, or only for what they have not sent yet.
 */
function inTime(answer: Promise<unknown>, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // An event loop that was busy meets its timers before the answers that came meanwhile.
      setImmediate(() =>
        reject(
          new RedisStoreError('REDIS_TIMEOUT', `Redis did not answer within ${Math.ceil(timeoutMs)} ms.`),
        ),
      )
    }, timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
