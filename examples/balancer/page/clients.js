import { byId, keyedList, make, setText } from './dom.js'

const head = byId('clients-head')
const body = byId('clients-body')
const choice = byId('client')

let chosen = ''
let order = []
let headFor = ''
let render = () => undefined
let options = () => undefined

/** The client whose buckets are drawn; the busiest until somebody chooses. */
export function chosenClient(clients) {
  return clients.find(({ key }) => key === chosen) ?? clients[0]
}

export function drawClients({ clients, clientCount, policies }) {
  const names = policies.map(({ name }) => name).join('\n')
  if (names !== headFor) {
    headFor = names
    drawHead(policies)
    body.replaceChildren()
    render = keyedList(body, ({ key }) => key, clientRow)
    options = keyedList(choice, ({ key }) => key, clientOption)
  }
  const present = new Map(clients.map((client) => [client.key, client]))
  // Newcomers on top, and nobody moves while somebody reads.
  const known = new Set(order)
  order = [
    ...clients.map(({ key }) => key).filter((key) => !known.has(key)),
    ...order.filter((key) => present.has(key)),
  ]
  const rows = order.map((key) => ({ ...present.get(key), policies }))
  render(rows)
  options(rows)
  const current = chosenClient(clients)
  if (current !== undefined && choice.value !== current.key) choice.value = current.key
  for (const row of body.rows) {
    const isChosen = row.dataset.key === current?.key
    row.dataset.chosen = String(isChosen)
    row.querySelector('.pick').ariaCurrent = String(isChosen)
  }
  setText(
    byId('client-count'),
    clientCount > clients.length ? `${clients.length} of ${clientCount} shown` : '',
  )
}

/** Shows the buckets of this one from now on. */
export function choose(key) {
  chosen = key
}

choice.addEventListener('change', () => choose(choice.value))

function drawHead(policies) {
  head.replaceChildren(
    make('th', { scope: 'col' }, 'Client'),
    ...policies.map(({ name }) => make('th', { scope: 'col' }, name)),
    make('th', { scope: 'col', class: 'number' }, 'Passed'),
    make('th', { scope: 'col', class: 'number' }, 'Refused'),
  )
}

function clientRow(client) {
  const pick = make(
    'button',
    { type: 'button', class: 'pick' },
    make('span', { class: 'unseen' }, 'Show the buckets of '),
    make('span', { class: 'address' }, client.key),
    make('span', { class: 'sender' }, client.sender ?? ''),
  )
  pick.addEventListener('click', () => choose(client.key))
  const levels = client.policies.map(() => {
    const bar = make('i', { 'aria-hidden': 'true' })
    const text = make('span')
    return { bar, text, cell: make('td', {}, make('div', { class: 'level' }, bar, text)) }
  })
  const allowed = make('td', { class: 'number' })
  const refused = make('td', { class: 'number' })
  const element = make(
    'tr',
    { 'data-key': client.key },
    make('td', {}, pick),
    ...levels.map(({ cell }) => cell),
    allowed,
    refused,
  )
  return {
    element,
    update({ policies, ticks, allowed: let_, refused: not }) {
      policies.forEach((policy, index) => {
        const level = ticks[index] ?? 0
        levels[index].bar.style.setProperty('--part', level / (policy.capacity * policy.periodMs))
        setText(levels[index].text, String(Math.floor(level / policy.periodMs)))
      })
      setText(allowed, String(let_))
      setText(refused, String(not))
      refused.classList.toggle('refusals', not > 0)
    },
  }
}

function clientOption({ key, sender }) {
  return {
    element: make('option', { value: key }, sender === null ? key : `${key} (${sender})`),
    update: () => undefined,
  }
}
