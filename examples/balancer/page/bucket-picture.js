const SVG = 'http://www.w3.org/2000/svg'

// The inside of the bucket, in the units of its viewBox.
const TOP = 26
const BOTTOM = 172
const LEFT_TOP = 30
const LEFT_BOTTOM = 44
const RIGHT_TOP = 142
const RIGHT_BOTTOM = 128

let lastId = 0

/**
 * Draws one bucket: a mark for each whole token, small ones for the ticks between, and water that stands
 * at the tick, with its height in tokens beside it.
 */
export function bucketPicture(policy) {
  const clip = `inside-${(lastId += 1)}`
  const depth = `depth-${lastId}`
  const svg = element('svg', { viewBox: '6 0 140 178', 'aria-hidden': 'true' })
  const outline = `M${LEFT_TOP} ${TOP} L${LEFT_BOTTOM} ${BOTTOM - 8} Q${LEFT_BOTTOM + 1} ${BOTTOM} ${LEFT_BOTTOM + 9} ${BOTTOM} H${RIGHT_BOTTOM - 9} Q${RIGHT_BOTTOM - 1} ${BOTTOM} ${RIGHT_BOTTOM} ${BOTTOM - 8} L${RIGHT_TOP} ${TOP}`
  const clipPath = element('clipPath', { id: clip })
  clipPath.append(element('path', { d: `${outline} Z` }))
  const inside = element('g', { 'clip-path': `url(#${clip})` })
  const gradient = element('linearGradient', { id: depth, x1: 0, y1: 0, x2: 0, y2: 1 })
  gradient.append(
    element('stop', { class: 'shallow', offset: 0 }),
    element('stop', { class: 'deep', offset: 1 }),
  )
  const water = element('rect', { fill: `url(#${depth})`, x: 20, width: 130, y: BOTTOM, height: 150 })
  const surface = element('line', { class: 'surface', x1: 20, x2: 150, y1: BOTTOM, y2: BOTTOM })
  inside.append(water, surface)
  const level = element('text', { class: 'level-label', x: RIGHT_BOTTOM - 2, 'text-anchor': 'end' })
  const drop = element('path', { class: 'drop', d: 'M86 0 q6 8 0 11 q-6 -3 0 -11' })
  svg.append(
    clipPath,
    gradient,
    element('path', { class: 'glass', d: `${outline} Z` }),
    inside,
    ...marks(policy.capacity),
    element('path', { class: 'rim', d: outline }),
    level,
    drop,
  )

  const full = policy.capacity * policy.periodMs
  return {
    svg,
    /** Sets the water to `ticks`, and the drop that falls to the part of a token that has come in. */
    set(ticks) {
      const y = heightOf(ticks / full)
      water.setAttribute('y', y)
      surface.setAttribute('y1', y)
      surface.setAttribute('y2', y)
      level.setAttribute('y', y - 5)
      level.textContent = (Math.floor((ticks * 100) / policy.periodMs) / 100).toFixed(2)
      const part = (ticks % policy.periodMs) / policy.periodMs
      drop.setAttribute('visibility', ticks < full ? 'visible' : 'hidden')
      drop.setAttribute('transform', `translate(0 ${(part * part * Math.max(0, y - 16)).toFixed(1)})`)
    },
  }
}

/** Marks at whole tokens, no more than ten with a number, and tenths of a token where there is room. */
function* marks(capacity) {
  const step = niceStep(capacity / 8)
  for (const token of tokensToMark(capacity, step)) {
    const y = heightOf(token / capacity)
    const x = leftAt(y)
    yield element('line', { class: 'mark', x1: x, x2: x + 15, y1: y, y2: y })
    const label = element('text', { class: 'mark-label', x: x - 7, y: y + 4, 'text-anchor': 'end' })
    label.textContent = String(token)
    yield label
  }
  const parts = step > 1 ? Math.min(step, 5) : 5
  const small = step / parts
  for (let index = 1; index * small < capacity; index += 1) {
    if (index % parts === 0) continue
    const y = heightOf((index * small) / capacity)
    const x = leftAt(y)
    yield element('line', { class: 'minor', x1: x, x2: x + 7, y1: y, y2: y })
  }
}

/** Every step and the capacity itself, which takes the place of one that would stand too close. */
function tokensToMark(capacity, step) {
  const tokens = []
  for (let token = 0; token <= capacity - step * 0.7; token += step) tokens.push(token)
  return [...tokens, capacity]
}

/** The first of 1, 2, 5, 10, 20, 50, … that is not below. */
function niceStep(least) {
  let power = 1
  for (;;) {
    for (const step of [1, 2, 5]) if (step * power >= least) return step * power
    power *= 10
  }
}

function heightOf(part) {
  return BOTTOM - part * (BOTTOM - TOP - 8)
}

function leftAt(y) {
  return LEFT_TOP + ((y - TOP) / (BOTTOM - TOP)) * (LEFT_BOTTOM - LEFT_TOP)
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  return made
}
