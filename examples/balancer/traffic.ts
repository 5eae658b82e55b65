import { setTimeout as sleep } from 'node:timers/promises'
import { randomInt } from 'node:crypto'

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly id: number
  readonly from: string
  readonly request: string
  readonly status: number
  readonly retryAfter: string | null
  readonly backend: string | null
}

/** Kinds of traffic that can be sent. */
export type Scenario = 'burst' | 'scraper' | 'storm' | 'guesser' | 'visitors'

export interface Traffic {
  /** Starts one, or ends it if it is under way. */
  toggle(scenario: Scenario): void
  running(): Scenario[]
  /** The latest answers, newest first. */
  answers(): readonly WireAnswer[]
  /** What came of each scenario that ended, newest first. */
  outcomes(): readonly { id: number; text: string }[]
  stop(): void
}

const NAMES: Record<Scenario, string> = {
  burst: 'Burst',
  scraper: 'Scraper',
  storm: 'Retry storm',
  guesser: 'Password guesser',
  visitors: 'Visitors',
}

/** Whether a text names a kind of traffic. */
export function isScenario(text: unknown): text is Scenario {
  return typeof text === 'string' && Object.hasOwn(NAMES, text)
}

/** Who sends from an address, so that a table of addresses can be read. */
export function senderAt(key: string): string | undefined {
  if (key === '::1' || key.startsWith('127.')) return 'this machine'
  if (key === BURST) return 'burst'
  if (key === SCRAPER) return 'scraper'
  if (key.startsWith('203.0.113.')) return 'retry storm'
  if (key.startsWith('2001:db8:bad:')) return 'guesser'
  return key.startsWith('192.0.2.') ? 'visitor' : undefined
}

// Addresses that RFC 5737 and RFC 3849 keep for examples.
const BURST = '198.51.100.7'
const SCRAPER = '198.51.100.66'
const STORM = Array.from({ length: 16 }, (_, index) => `203.0.113.${index + 1}`)
const VISITORS = Array.from({ length: 5 }, (_, index) => `192.0.2.${index + 11}`)
/** Another address each time; all of them belong to one site. */
const guesserAddress = (): string =>
  `2001:db8:bad:${randomInt(256).toString(16)}::${randomInt(1, 65_536).toString(16)}`

interface Tally {
  allowed: number
  refused: number
}

/** What a scenario does until it is done or told to stop. `send` gives the status of the answer. */
type Script = (
  send: (from: string, path: string, method?: 'GET' | 'POST') => Promise<number>,
  signal: AbortSignal,
) => Promise<unknown>

const SCRIPTS: Record<Scenario, Script> = {
  /** All at once, from one client. */
  burst: (send) => Promise.all(Array.from({ length: 12 }, (_, index) => send(BURST, `/page/${index + 1}`))),

  /** Ten pages a second, whatever the answers are. */
  async scraper(send, signal) {
    for (let page = 1; page <= 200; page += 1) {
      await Promise.all([send(SCRAPER, `/catalog/${page}`), sleep(100, undefined, { signal })])
    }
  },

  /** Each client wants six pages and asks again at once whenever it is refused. */
  storm: (send, signal) =>
    Promise.all(
      STORM.map(async (from) => {
        for (let page = 1; page <= 8; page += 1) {
          while ((await send(from, `/feed/${page}`)) === 429) {
            await sleep(randomInt(80, 160), undefined, { signal })
          }
        }
      }),
    ),

  /** Twenty guesses a second, each from another address. */
  async guesser(send, signal) {
    for (let guess = 1; guess <= 300; guess += 1) {
      await Promise.all([send(guesserAddress(), '/login', 'POST'), sleep(50, undefined, { signal })])
    }
  },

  /** People who read before they click on. */
  visitors: (send, signal) =>
    Promise.all(
      VISITORS.map(async (from) => {
        for (;;) {
          await sleep(randomInt(3000, 6000), undefined, { signal })
          await send(from, '/')
        }
      }),
    ),
}

const KEPT_ANSWERS = 40
const KEPT_OUTCOMES = 5

/** Real requests to the balancer at `url`, from clients it knows by the word of a trusted hop: this one. */
export function createTraffic(url: string): Traffic {
  const underWay = new Map<Scenario, AbortController>()
  const answers: WireAnswer[] = []
  const outcomes: { id: number; text: string }[] = []
  let lastId = 0

  async function send(
    from: string,
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
  ): Promise<WireAnswer> {
    const response = await fetch(new URL(path, url), { method, headers: { 'x-forwarded-for': from }, signal })
    await response.arrayBuffer()
    const answer = {
      id: (lastId += 1),
      from,
      request: `${method} ${path}`,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      backend: response.headers.get('x-backend'),
    }
    answers.unshift(answer)
    answers.length = Math.min(answers.length, KEPT_ANSWERS)
    return answer
  }

  async function run(scenario: Scenario, controller: AbortController): Promise<void> {
    const { signal } = controller
    const tally: Tally = { allowed: 0, refused: 0 }
    try {
      await SCRIPTS[scenario](async (from, path, method = 'GET') => {
        const { status } = await send(from, method, path, signal)
        tally[status === 429 ? 'refused' : 'allowed'] += 1
        return status
      }, signal)
    } catch (error) {
      if (!signal.aborted) process.emitWarning(error as Error)
    }
    underWay.delete(scenario)
    const text = `${NAMES[scenario]}: ${tally.allowed} let through, ${tally.refused} refused.`
    outcomes.unshift({ id: (lastId += 1), text })
    outcomes.length = Math.min(outcomes.length, KEPT_OUTCOMES)
  }

  return {
    toggle(scenario) {
      const running = underWay.get(scenario)
      if (running !== undefined) return running.abort()
      const controller = new AbortController()
      underWay.set(scenario, controller)
      void run(scenario, controller)
    },
    running: () => [...underWay.keys()],
    answers: () => answers,
    outcomes: () => outcomes,
    stop: () => underWay.forEach((controller) => controller.abort()),
  }
}
