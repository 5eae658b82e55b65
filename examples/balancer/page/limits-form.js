import { byId, make, setText } from './dom.js'
import { post } from './post.js'

const form = byId('limits-form')
const error = byId('limits-error')
const note = byId('limits-note')

const PERIODS = { perSecond: 1000, perMinute: 60_000, perHour: 3_600_000, perDay: 86_400_000 }
const LABELS = { perSecond: 'second', perMinute: 'minute', perHour: 'hour', perDay: 'day' }

let shownFor = ''

/** Fills the form in when limits are new, and leaves alone what somebody is typing. */
export function drawLimits(policies) {
  const wanted = JSON.stringify(policies)
  if (wanted === shownFor) return
  shownFor = wanted
  byId('policies').replaceChildren(...policies.map(fields))
}

function fields({ name, capacity, rate, periodMs }) {
  const period = make('select', { name: 'period' })
  for (const [option, ms] of Object.entries(PERIODS)) {
    const item = make('option', { value: option }, LABELS[option])
    item.selected = ms === periodMs
    period.append(item)
  }
  return make(
    'fieldset',
    { 'data-policy': name },
    make('legend', {}, name),
    make('label', {}, 'Capacity', number('capacity', capacity)),
    make('label', {}, 'Tokens', number('rate', rate)),
    make('label', {}, 'per', period),
  )
}

function number(name, value) {
  const attributes = { inputmode: 'numeric', autocomplete: 'off', 'aria-describedby': 'limits-error' }
  return make('input', { name, value, ...attributes })
}

/** The text as a number where it is one; whether it will do is for the balancer to say. */
function valueOf(input) {
  const number = Number(input.value)
  return input.value.trim() === '' || Number.isNaN(number) ? input.value : number
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void apply()
})

async function apply() {
  const sets = [...form.querySelectorAll('fieldset')]
  for (const input of form.querySelectorAll('input')) input.removeAttribute('aria-invalid')
  setText(error, '')
  const { ok, answer } = await post('limits', { policies: sets.map(optionsOf) })
  if (!ok) return fail(sets[answer.index ?? 0], answer)
  setText(note, 'Applied. Every bucket is full again: balances start anew.')
}

function optionsOf(set) {
  const { capacity, rate, period } = set.elements
  return { name: set.dataset.policy, capacity: valueOf(capacity), [period.value]: valueOf(rate) }
}

function fail(set, { option, message }) {
  const input = option === 'capacity' ? set.elements.capacity : set.elements.rate
  input.setAttribute('aria-invalid', 'true')
  setText(error, `${set.dataset.policy}: ${message}`)
  input.focus()
}
