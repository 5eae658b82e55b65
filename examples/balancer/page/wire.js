import { byId, keyedList, make } from './dom.js'

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

function backendItem() {
  const element = make('li')
  return {
    element,
    update({ name, url, isUp, sent, failed }) {
      element.dataset.up = String(isUp)
      const text = `${name} (${new URL(url).host}) is ${isUp ? 'up' : 'down'}: ${sent} requests${failed > 0 ? `, ${failed} unanswered` : ''}`
      if (element.textContent !== text) element.textContent = text
    },
  }
}
