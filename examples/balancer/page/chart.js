import uPlot from './uplot/uPlot.esm.js'
import { byId, setText } from './dom.js'

const holder = byId('chart')
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name)
/** `light-dark()` in a property comes out as text; a probe's colour is what it means now. */
function resolved(name) {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  holder.append(probe)
  const value = getComputedStyle(probe).color
  probe.remove()
  return value || color(name)
}

const bars = uPlot.paths.bars({ size: [0.82, 14], align: 0, radius: 0.15 })
let chart

function draw() {
  const soft = resolved('--soft')
  const line = resolved('--line')
  chart?.destroy()
  const axis = {
    stroke: soft,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  }
  chart = new uPlot(
    {
      width: holder.clientWidth,
      height: holder.clientHeight,
      cursor: { show: false },
      legend: { show: false },
      padding: [8, 18, 0, 0],
      scales: {
        x: { time: false, range: [-60.6, 0.6] },
        y: { range: (_, _min, max) => [0, Math.max(5, max * 1.1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          space: 60,
          values: (_, values) => values.map((v) => (v === 0 ? 'now' : `−${-v} s`)),
        },
        { ...axis, size: 38, space: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] },
      ],
      series: [
        {},
        // The sum behind, what was let through in front of it: together they are stacked.
        { fill: resolved('--no'), width: 0, paths: bars, points: { show: false } },
        { fill: resolved('--water'), width: 0, paths: bars, points: { show: false } },
      ],
    },
    data,
    holder,
  )
}

let data = [[], [], []]
let latest = -1

export function drawChart(seconds) {
  const now = seconds.at(-1)
  if (now === undefined) return
  const key = JSON.stringify(now)
  if (key === latest) return
  latest = key
  data = [
    seconds.map(({ second }) => second - now.second),
    seconds.map(({ allowed, refused }) => allowed + refused),
    seconds.map(({ allowed }) => allowed),
  ]
  if (chart === undefined) draw()
  else chart.setData(data)
  // The second under way is not whole.
  const whole = seconds.at(-2) ?? now
  setText(byId('allowed-now'), String(whole.allowed))
  setText(byId('refused-now'), String(whole.refused))
  const sum = (name) => seconds.reduce((total, counts) => total + counts[name], 0)
  holder.setAttribute(
    'aria-label',
    `In the last minute ${sum('allowed')} requests were let through and ${sum('refused')} refused.`,
  )
}

new ResizeObserver(() => chart?.setSize({ width: holder.clientWidth, height: holder.clientHeight })).observe(
  holder,
)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
