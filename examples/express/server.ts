import { createApp } from './app.ts'
import { listen } from '../listen.ts'

const { url } = await listen(createApp())
console.log(`Listening on ${url} (3 requests at once, then 60 per minute)`)
