import { byId, keyedList, make, setText } from './dom.js'
import { post } from './post.js'

const renderAnswers = keyedList(byId('answers'), ({ id }) => id, answerRow)
const renderBackends = keyedList(byId('backends'), ({ name }) => name, backendItem)

export function drawWire({ answers, backends }) {
  renderAnswers(answers)
  renderBackends(backends)
}

function answerRow({ status, retryAfter, request, from, backend }) {
  const kind = status === 429 ? 'refused' : status < 400 ? 'allowed' : 'other'
  const answer = make('td', {}, make('span', { class: 'status', 'data-kind': kind }, String(status)))
  if (retryAfter !== null) answer.append(make('span', { class: 'wait' }, `wait ${retryAfter} s`))
  else if (backend !== null) answer.append(make('span', { class: 'hint' }, ` ${backend}`))
  return {
    element: make('tr', {}, answer, make('td', {}, request, make('span', { class: 'sender address' }, from))),
    update: () => undefined,
  }
}

function backendItem({ name }) {
  const state = make('span')
  const counts = make('span', { class: 'hint' })
  const button = make('button', { type: 'button' })
  const element = make('li', {}, make('p', {}, make('strong', {}, name), ' ', state, counts), button)
  button.addEventListener('click', () => {
    const what = element.dataset.up === 'true' ? 'kill' : 'revive'
    void post(`backends/${name}/${what}`, {})
  })
  return {
    element,
    update({ isUp, sent, failed }) {
      element.dataset.up = String(isUp)
      setText(state, isUp ? 'is up' : 'is down')
      setText(counts, `${sent} requests${failed > 0 ? `, ${failed} unanswered` : ''}`)
      setText(button, isUp ? 'Kill' : 'Revive')
      button.setAttribute('aria-label', `${isUp ? 'Kill' : 'Revive'} backend ${name}`)
    },
  }
}
