import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import type { Schemas } from '../../api/client.ts'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { now } from '../../lib/clock.ts'
import { count, dayOf } from '../../lib/format.ts'
import classes from './HomePage.module.css'

const STEP_S = 6 * 3_600
const HEIGHT = 190

export interface Flow {
  since: number
  intervals: readonly Schemas['Interval'][]
}

/** A bar chart of 14 days in steps of six hours: due messages are filled, scheduled ones hollow, and a line marks now. */
export function FlowChart({ flow }: { flow: Flow | undefined }) {
  const { ref, width } = useElementSize()
  const at = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const target = at.current
    if (!flow || !target || width === 0) return undefined
    const plot = new uPlot(optionsFor(width), seriesOf(flow), target)
    return () => plot.destroy()
    // Redrawn when the color scheme changes, because colors are read while drawing.
  }, [flow, width, scheme])
  return (
    <div ref={ref} className={classes.chart} role="img" aria-label={flow ? chartLabel(flow) : 'Loading'}>
      <div ref={at} />
    </div>
  )
}

function seriesOf({ since, intervals }: Flow): uPlot.AlignedData {
  const byTime = new Map(intervals.map((interval) => [Date.parse(interval.since) / 1_000, interval]))
  const times = Array.from({ length: 56 }, (_, n) => since / 1_000 + n * STEP_S)
  return [
    times,
    times.map((time) => (byTime.has(time) ? totalOf(byTime.get(time)!.messages) || null : null)),
    times.map((time) => byTime.get(time)?.waiting || null),
  ]
}

function chartLabel(flow: Flow): string {
  const [, sent, waiting] = seriesOf(flow) as [number[], (number | null)[], (number | null)[]]
  const sum = (values: (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0)
  return `Bar chart: ${count(sum(sent))} messages due in the past 7 days, ${count(sum(waiting))} contacts scheduled in the next 7 days.`
}

const token = (name: string): string => {
  // Canvas does not support light-dark(), so the page resolves it.
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function optionsFor(width: number): uPlot.Options {
  const [solid, tint, line, text, ink, surface] = [
    '--accent-solid',
    '--accent-tint',
    '--line',
    '--text-3',
    '--text',
    '--surface',
  ].map(token) as [string, string, string, string, string, string]
  const bars = uPlot.paths.bars!({ size: [0.72, 24], radius: 0.15, align: 1 })
  const font = '11px "Geist Variable", sans-serif'
  return {
    width,
    height: HEIGHT,
    padding: [24, 0, 0, 24],
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: (_, __, max) => [0, Math.max(max, 4)] }, x: { range: (_, min, max) => [min, max + STEP_S] } },
    axes: [
      {
        stroke: text,
        font,
        grid: { show: false },
        ticks: { show: false },
        splits: (_, __, min, max) =>
          Array.from({ length: 14 }, (___, n) => min + n * 86_400).filter((time) => time <= max),
        values: (_, splits) => splits.map((time, n) => (width < 560 && n % 3 > 0 ? '' : dayOf(new Date(time * 1_000)))),
      },
      {
        side: 1,
        stroke: text,
        font,
        size: 40,
        grid: { stroke: line, width: 1, dash: [3, 3] },
        ticks: { show: false },
        values: (_, splits) => splits.map((value) => (Number.isInteger(value) && value > 0 ? count(value) : '')),
      },
    ],
    series: [
      {},
      { label: 'Sent', fill: solid, width: 0, paths: bars, points: { show: false } },
      { label: 'Scheduled', fill: tint, stroke: solid, width: 1, paths: bars, points: { show: false } },
    ],
    hooks: {
      draw: [
        (plot) => {
          const { ctx } = plot
          const x = Math.round(plot.valToPos(now().getTime() / 1_000, 'x', true))
          const ratio = devicePixelRatio
          ctx.save()
          ctx.fillStyle = ink
          ctx.fillRect(x, 20 * ratio, Math.max(1, ratio), plot.bbox.top + plot.bbox.height - 20 * ratio)
          ctx.beginPath()
          ctx.roundRect(x - 17 * ratio, 0, 34 * ratio, 18 * ratio, 4 * ratio)
          ctx.fill()
          ctx.fillStyle = surface
          ctx.font = `600 ${11 * ratio}px "Geist Variable", sans-serif`
          ctx.textAlign = 'center'
          ctx.textBaseline = 'middle'
          ctx.fillText('Now', x, 9.5 * ratio)
          ctx.restore()
        },
      ],
    },
  }
}
