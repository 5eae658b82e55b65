import { EventEmitter, getEventListeners } from 'node:events'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { turnOf } from '../../src/http/departure.ts'
import { createPacer } from '../../src/http/pacing.ts'

const MANY = 10_000

/** As of the next turn of the loop: a timer counts until what it called has returned. The runner has some, too, that come to an end. */
async function timers(): Promise<number> {
  await nextTurn()
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heapBytes(): number {
  gc()
  gc()
  return process.memoryUsage().heapUsed
}

/** Lets `count` requests of a client wait, each a little longer; gives the order in which they went on. */
function wait(count: number, pacer = createPacer(), stepMs = 0.02): { order: number[]; done: Promise<void> } {
  const order: number[] = []
  const done = new Promise<void>((resolve) => {
    for (let index = 0; index < count; index += 1) {
      pacer.pause('client', Math.ceil((index + 1) * stepMs))!(() => {
        if (order.push(index) === count) resolve()
      })
    }
  })
  return { order, done }
}

test('nothing is waited for where there is no delay and nobody waits', () => {
  expect(createPacer().pause('client', 0)).toBeUndefined()
})

test('ten thousand of one client wait at once: in order, none lost, one timer, and the memory comes back', async () => {
  const pacer = createPacer()
  await wait(100, pacer).done
  const before = { timers: await timers(), bytes: heapBytes() }
  const { order, done } = wait(MANY, pacer, 0.05)
  const during = { timers: await timers(), bytes: heapBytes() }
  await done
  expect(order).toEqual(Array.from({ length: MANY }, (_, index) => index))
  expect(during.timers - before.timers).toBeLessThanOrEqual(1)
  expect((during.bytes - before.bytes) / MANY).toBeLessThan(400)
  order.length = 0
  expect(await timers()).toBeLessThanOrEqual(before.timers)
  expect(heapBytes() - before.bytes).toBeLessThan(MANY * 20)
})

test('ten thousand clients wait at once: none lost, and timers and memory come back', async () => {
  const pacer = createPacer()
  await wait(100, pacer).done
  const before = { timers: await timers(), bytes: heapBytes() }
  let gone = 0
  const all = new Promise<void>((resolve) => {
    for (let index = 0; index < MANY; index += 1) {
      pacer.pause(`client ${index}`, 500 + (index % 50))!(() => {
        gone += 1
        if (gone === MANY) resolve()
      })
    }
  })
  expect((await timers()) - before.timers).toBeLessThanOrEqual(MANY)
  expect((heapBytes() - before.bytes) / MANY).toBeLessThan(700)
  await all
  expect(await timers()).toBeLessThanOrEqual(before.timers)
  expect(heapBytes() - before.bytes).toBeLessThan(MANY * 20)
})

test('whoever gives up a place frees it, and nobody waits longer or shorter for that', async () => {
  const pacer = createPacer()
  const before = await timers()
  const went: string[] = []
  let done: () => void
  const all = new Promise<void>((resolve) => (done = resolve))
  const leave = ['a', 'b', 'c', 'd'].map((name, index) =>
    pacer.pause('client', 5 * (index + 1))!(() => {
      went.push(name)
      if (name === 'd') done()
    }),
  )
  leave[0]!()
  leave[2]!()
  leave[2]!()
  await all
  expect(went).toEqual(['b', 'd'])
  leave[1]!()
  expect(await timers()).toBeLessThanOrEqual(before)
  expect(pacer.pause('client', 0)).toBeUndefined()
})

test('when all have given up no timer is left', async () => {
  const pacer = createPacer()
  const before = await timers()
  const leave = [1, 2, 3].map((index) => pacer.pause('client', index * 3_600_000)!(() => undefined))
  for (const give of leave) give()
  expect(await timers()).toBeLessThanOrEqual(before)
})

test('what comes without delay while another of the same client waits goes behind it', async () => {
  const pacer = createPacer()
  const went: string[] = []
  pacer.pause('client', 20)!(() => void went.push('first'))
  const second = pacer.pause('client', 0)
  expect(pacer.pause('stranger', 0)).toBeUndefined()
  await new Promise<void>((resolve) => {
    second!(() => {
      went.push('second')
      resolve()
    })
  })
  expect(went).toEqual(['first', 'second'])
})

test('clocks that disagree by a moment do not change the order', async () => {
  const pacer = createPacer()
  const went: number[] = []
  await new Promise<void>((resolve) => {
    for (const [index, delayMs] of [12, 11, 10, 14].entries()) {
      pacer.pause('client', delayMs)!(() => {
        if (went.push(index) === 4) resolve()
      })
    }
  })
  expect(went).toEqual([0, 1, 2, 3])
})

test('one that throws stops none behind it', async () => {
  const pacer = createPacer()
  const thrown = new Promise((resolve) => {
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', (error) => {
      for (const other of others) process.on('uncaughtException', other)
      resolve(error.message)
    })
  })
  pacer.pause('client', 1)!(() => {
    throw new Error('a handler')
  })
  await new Promise<void>((resolve) => void pacer.pause('client', 1)!(resolve))
  expect(await thrown).toBe('a handler')
})

test('a wait of more than a timer can hold does not end at once', async () => {
  const pacer = createPacer()
  let went = false
  const leave = pacer.pause('client', 40 * 86_400_000)!(() => (went = true))
  await sleep(20)
  expect(went).toBe(false)
  leave()
})

test('a client that has gone is not waited for, and nothing listens to it any more', async () => {
  const pacer = createPacer()
  const before = await timers()
  const response = new EventEmitter()
  const promised = turnOf(pacer.pause('client', 3_600_000)!, response)
  response.emit('close')
  expect(await promised).toBe(false)
  expect(await turnOf(pacer.pause('client', 5)!, response)).toBe(true)
  expect(response.listenerCount('close')).toBe(0)
  const destroyed = Object.assign(new EventEmitter(), { destroyed: true })
  expect(await turnOf(pacer.pause('client', 3_600_000)!, destroyed)).toBe(false)
  expect(destroyed.listenerCount('close')).toBe(0)
  expect(await timers()).toBeLessThanOrEqual(before)
})

test('the signal of a request tells the same', async () => {
  const pacer = createPacer()
  const controller = new AbortController()
  const promised = turnOf(pacer.pause('client', 3_600_000)!, controller.signal)
  controller.abort()
  expect(await promised).toBe(false)
  expect(await turnOf(pacer.pause('client', 3_600_000)!, controller.signal)).toBe(false)
  expect(await turnOf(pacer.pause('client', 1)!, new AbortController().signal)).toBe(true)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
