import { rateText, refilled, secondsText } from './arithmetic.js'
import { bucketPicture } from './bucket-picture.js'
import { byId, make, setText } from './dom.js'

const numbers = new Intl.NumberFormat('en', { useGrouping: true })
const list = byId('bucket-list')

let shownFor = ''
let cards = []

/** Draws the buckets of `client` as they stand `elapsedMs` after the snapshot that has them. */
export function drawBuckets(policies, client, elapsedMs) {
  if (client === undefined) return
  const wanted = JSON.stringify(policies)
  if (wanted !== shownFor) {
    shownFor = wanted
    cards = policies.map(bucketCard)
    list.replaceChildren(...cards.map(({ element }) => element))
  }
  policies.forEach((policy, index) => cards[index].set(refilled(policy, client.ticks[index] ?? 0, elapsedMs)))
}

function bucketCard(policy) {
  const picture = bucketPicture(policy)
  const full = policy.capacity * policy.periodMs
  const tokens = make('span')
  const ticks = make('span', { class: 'ticks' })
  const explained = make(
    'small',
    { class: 'explained' },
    `${numbers.format(policy.periodMs)} a token, ${numbers.format(policy.rate)} more each ms`,
  )
  const next = make('dd')
  const refill = make('dd')
  const element = make(
    'article',
    { class: 'bucket', 'aria-label': `Bucket ${policy.name}` },
    picture.svg,
    make('h3', {}, policy.name, make('small', {}, `${policy.capacity} at most, ${rateText(policy)}`)),
    make(
      'dl',
      {},
      make('dt', {}, 'Tokens'),
      make('dd', { class: 'tokens' }, tokens, make('small', {}, ` of ${policy.capacity}`)),
      make('dt', {}, 'Ticks'),
      make('dd', {}, ticks, make('small', {}, ` of ${numbers.format(full)}`), explained),
      make('dt', {}, 'Next token'),
      next,
      make('dt', {}, 'Full'),
      refill,
    ),
  )
  return {
    element,
    set(level) {
      picture.set(level)
      const isFull = level >= full
      const whole = Math.floor(level / policy.periodMs)
      element.dataset.empty = String(whole === 0)
      element.dataset.tokens = String(whole)
      setText(tokens, String(whole))
      setText(ticks, numbers.format(level))
      const toNext = Math.ceil((policy.periodMs - (level % policy.periodMs)) / policy.rate)
      setText(next, isFull ? '–' : `in ${secondsText(toNext)}`)
      setText(refill, isFull ? 'now' : `in ${secondsText(Math.ceil((full - level) / policy.rate))}`)
    },
  }
}
