/**
 * `bench flood`: exhausted clients, then twenty million new keys through a store of 100,000. The
 * clients must stay exhausted.
 */
import { manualClock } from '@tickbucket/conformance'
import { memoryStore, tokenBucket } from '@tickbucket/core'
import { addressOf } from './memory/keys.ts'

const NEW_KEYS = 20_000_000
const MAX_CLIENTS = 100_000
const VICTIMS = 1000

const store = memoryStore({ clock: manualClock(), maxClients: MAX_CLIENTS })
const policies = Object.freeze([tokenBucket({ capacity: 10, perMinute: 1 })])
for (let victim = 0; victim < VICTIMS; victim += 1) store.take(`victim-${victim}`, 10, policies)

const start = performance.now()
for (let client = 0; client < NEW_KEYS; client += 1) store.take(addressOf(client), 1, policies)
const ns = ((performance.now() - start) * 1e6) / NEW_KEYS

let freed = 0
for (let victim = 0; victim < VICTIMS; victim += 1)
  if (store.take(`victim-${victim}`, 1, policies).allowed) freed += 1
const { clients, droppedEarly } = store.stats()
process.stdout.write(
  `${freed} of ${VICTIMS} exhausted clients were freed by ${NEW_KEYS.toLocaleString('en')} new keys in a store of ` +
    `${MAX_CLIENTS.toLocaleString('en')}: ${clients.toLocaleString('en')} kept, ` +
    `${droppedEarly.toLocaleString('en')} dropped early, ${ns.toFixed(0)} ns a new key\n`,
)
process.exit(freed === 0 ? 0 : 1)
