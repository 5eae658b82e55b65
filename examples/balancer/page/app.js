import { drawBuckets } from './buckets.js'
import { drawChart } from './chart.js'
import { chosenClient, drawClients } from './clients.js'
import { byId, setText } from './dom.js'
import { drawLimits } from './limits-form.js'
import { drawTraffic } from './traffic.js'
import { drawWire } from './wire.js'

const connection = byId('connection')
const CALM_MS = 250

let snapshot
let takenMs = 0
let drawnMs = 0

function setConnection(state, text) {
  connection.dataset.state = state
  setText(connection, text)
}

const events = new EventSource('events')
events.addEventListener('open', () => setConnection('live', 'Live'))
events.addEventListener('error', () => setConnection('lost', 'Not connected, trying again'))
events.addEventListener('message', ({ data }) => {
  snapshot = JSON.parse(data)
  takenMs = performance.now()
  drawClients(snapshot)
  drawChart(snapshot.seconds)
  drawLimits(snapshot.policies)
  drawTraffic(snapshot)
  drawWire(snapshot)
})

/** Between snapshots buckets refill by the same arithmetic as in the balancer. */
const calm = matchMedia('(prefers-reduced-motion: reduce)')
function frame(nowMs) {
  requestAnimationFrame(frame)
  if (snapshot === undefined || (calm.matches && nowMs - drawnMs < CALM_MS)) return
  drawnMs = nowMs
  drawBuckets(snapshot.policies, chosenClient(snapshot.clients), nowMs - takenMs)
}
requestAnimationFrame(frame)
