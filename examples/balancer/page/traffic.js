import { byId, setText } from './dom.js'
import { post } from './post.js'
import { choose } from './clients.js'

const buttons = [...document.querySelectorAll('[data-scenario]')]

/** Whose buckets are worth seeing. */
const SENDERS = {
  burst: '198.51.100.7',
  scraper: '198.51.100.66',
  guesser: '2001:db8:bad::/56',
  storm: '203.0.113.1',
}

for (const button of buttons) button.addEventListener('click', () => void press(button))

async function press(button) {
  const { scenario } = button.dataset
  const sender = SENDERS[scenario]
  if (sender !== undefined && button.ariaPressed !== 'true') choose(sender)
  const { ok, answer } = await post(`traffic/${scenario}`, {})
  if (!ok) setText(byId('outcome'), answer.message)
}

let lastOutcome

/** Which scenarios run, and what came of the latest to end. */
export function drawTraffic({ running, outcomes }) {
  for (const button of buttons) {
    // A burst is over before it could be stopped.
    if (button.dataset.scenario !== 'burst')
      button.ariaPressed = String(running.includes(button.dataset.scenario))
  }
  const [latest] = outcomes
  if (lastOutcome !== undefined && latest !== undefined && latest.id !== lastOutcome)
    setText(byId('outcome'), latest.text)
  lastOutcome = latest?.id ?? 0
}
