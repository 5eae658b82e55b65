import type { Window } from './adversary.ts'

/** What one picture tells: when requests went on, and which stretch of it is marked. */
export interface Plot {
  readonly title: string
  readonly passed: readonly number[]
  readonly marked: Window
  readonly markedMs: number
  /** The long-run limit, as tokens per millisecond: the slope of the line to compare with. */
  readonly slope: number
  /** When the client begins to send. */
  readonly fromMs: number
}

const WIDTH = 720
const HEIGHT = 300
const LEFT = 52
const RIGHT = 16
const TOP = 44
const BOTTOM = 40
const LAST_MS = 180_000
const MOST = 360

const STYLE = `
    text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a }
    .title { font-size: 15px; font-weight: 600; fill: #1f2328 }
    .grid { stroke: #d0d7de; stroke-width: 1 }
    .rate { stroke: #8c959f; stroke-width: 1.5; stroke-dasharray: 5 4 }
    .window { fill: #0969da; opacity: .1 }
    .edge { stroke: #0969da; stroke-width: 1; opacity: .6 }
    .count { font-weight: 600; fill: #0969da }
    .passed { stroke: #0969da; stroke-width: 2.5; fill: none; stroke-linejoin: round }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1 }
      .title { fill: #f0f6fc }
      .grid { stroke: #3d444d }
      .rate { stroke: #9198a1 }
      .window, .count { fill: #4493f8 }
      .edge, .passed { stroke: #4493f8 }
    }`

function x(ms: number): number {
  return rounded(LEFT + (ms / LAST_MS) * (WIDTH - LEFT - RIGHT))
}

function y(count: number): number {
  return rounded(HEIGHT - BOTTOM - (count / MOST) * (HEIGHT - TOP - BOTTOM))
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

/** The picture, readable on light and on dark ground. */
export function svgOf(plot: Plot): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">
  <title>${plot.title}</title>
  <style>${STYLE}
  </style>
  <text class="title" x="${LEFT}" y="22">${plot.title}</text>
  <text x="${WIDTH - RIGHT}" y="22" text-anchor="end">requests that went on, in all</text>
${[...grid(), ...window(plot), rate(plot), steps(plot)].map((line) => `  ${line}`).join('\n')}
</svg>
`
}

function grid(): string[] {
  const lines: string[] = []
  for (let count = 0; count <= 300; count += 100) {
    lines.push(`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(count)}" y2="${y(count)}"/>`)
    lines.push(`<text x="${LEFT - 8}" y="${y(count) + 4}" text-anchor="end">${count}</text>`)
  }
  for (let ms = 0; ms <= LAST_MS; ms += 30_000) {
    const time = `${Math.floor(ms / 60_000)}:${ms % 60_000 === 0 ? '00' : '30'}`
    const anchor = ms === LAST_MS ? 'end' : 'middle'
    lines.push(`<line class="grid" x1="${x(ms)}" x2="${x(ms)}" y1="${y(0)}" y2="${y(0) + 5}"/>`)
    lines.push(`<text x="${x(ms)}" y="${y(0) + 21}" text-anchor="${anchor}">${time}</text>`)
  }
  return lines
}

function window({ marked, markedMs }: Plot): string[] {
  const [left, right] = [x(marked.start), x(marked.start + markedMs)]
  return [
    `<rect class="window" x="${left}" y="${TOP}" width="${rounded(right - left)}" height="${rounded(y(0) - TOP)}"/>`,
    ...[left, right].map((at) => `<line class="edge" x1="${at}" x2="${at}" y1="${TOP}" y2="${y(0)}"/>`),
    `<text class="count" x="${rounded((left + right) / 2)}" y="${TOP + 18}" text-anchor="middle">${marked.count} in this minute</text>`,
  ]
}

function rate({ slope, fromMs }: Plot): string {
  const end = Math.min(LAST_MS, fromMs + MOST / slope)
  return `<line class="rate" x1="${x(fromMs)}" y1="${y(0)}" x2="${x(end)}" y2="${y((end - fromMs) * slope)}"/>`
}

/** The requests that went on so far, as stairs. */
function steps({ passed }: Plot): string {
  let path = `M${x(0)} ${y(0)}`
  for (const [index, ms] of passed.entries()) {
    if (ms > LAST_MS) break
    // A stair of many is drawn as one.
    if (passed[index + 1] !== ms) path += `H${x(ms)}V${y(index + 1)}`
  }
  return `<path class="passed" d="${path}H${x(LAST_MS)}"/>`
}
