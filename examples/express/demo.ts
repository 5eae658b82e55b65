import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from './app.ts'
import { send } from './burst.ts'
import { listen } from '../listen.ts'

const unknown = process.argv.slice(2).filter((word) => word !== '--once')
if (unknown.length > 0) {
  console.error(`The demo takes --once and nothing else, not ${unknown.join(' ')}.`)
  process.exit(2)
}

/** Starts the server, sends it a burst over real HTTP, and keeps serving unless told `--once`. */
const { server, url } = await listen(createApp())
console.log(`Express on ${url}: each client has 3 tokens, and 60 more flow in per minute.`)
console.log('Five requests at once:\n')

let retryAfter = 0
for (let count = 0; count < 5; count += 1) retryAfter = (await send(url)) ?? retryAfter

console.log(`The last one was told to come back in ${retryAfter} s. So it does:\n`)
await sleep(retryAfter * 1000)
await send(url)

if (process.argv.includes('--once')) {
  server.close()
  server.closeIdleConnections()
} else {
  console.log(`Still serving. Try it yourself: curl -i ${url}`)
  console.log('Ctrl-C stops it.')
}
