import { useElementSize } from '@mantine/hooks'
import { useId } from 'react'
import { plural } from '../../lib/format.ts'
import { wallDate, wallDay, wallMinute } from '../../lib/wall-time.ts'
import { fittingLabels, type Label, textWidth } from './fitting-labels.ts'
import type { Item } from './items.ts'
import classes from './line.module.css'
import { ticksBetween } from './ticks.ts'

const DROP = 'M0 0C4.5 6 6.5 8.7 6.5 11.8a6.5 6.5 0 0 1-13 0C-6.5 8.7-4.5 6 0 0z'
const EDGE = 24
const MINUTE_MS = 60_000
/** The shortest line, so that one email has a place on it. */
const MIN_MS = 86_400_000
const FLAG_PADDING = 16

/**
 * An enrollment as a line, and its emails as drops. It is dashed while the contact waits for an event. What comes after the selected
 * entry is gray.
 */
export function Line({
  items,
  at,
  current,
  currentName,
}: {
  items: readonly Item[]
  /** The position of the selected entry. */
  at: number
  /** The same for the current version, below. */
  current?: readonly Item[] | undefined
  currentName?: string | undefined
}) {
  const { ref, width } = useElementSize()
  const clip = useId()
  const begin = items[0]!.at
  const lastTime = Math.max(items.at(-1)!.at.getTime(), current?.at(-1)?.at.getTime() ?? 0)
  const end = new Date(Math.max(lastTime, begin.getTime() + MIN_MS))
  const x = (time: Date) =>
    EDGE + ((time.getTime() - begin.getTime()) / (end.getTime() - begin.getTime())) * (width - 2 * EDGE)
  const selected = items[at]!
  const now = x(selected.at)
  const ticks = ticksBetween(begin, end)
  const shownTicks = fittingLabels(
    ticks.map((tick): Label => ({ x: x(tick.at) + 5, text: tick.label, anchor: 'start' })),
    width,
  )
  const messages = items.filter(({ isMessage }) => isMessage)
  // The selected one has its label in any case.
  const ordered = selected.isMessage ? [selected, ...messages.filter((each) => each !== selected)] : messages
  const names = fittingLabels(
    ordered.map(({ at: time, title }) => middle(x(time), title)),
    width,
  )
  const decisions = fittingLabels(
    items.flatMap(({ at: time, branch }) => (branch === undefined ? [] : [middle(x(time), branch)])),
    width,
  )
  const sent = plural(messages.length, 'email')
  const flag = `${wallDay(selected.at)}, ${wallMinute(selected.at)}`
  const flagHalf = (textWidth(flag) + FLAG_PADDING) / 2
  return (
    <div ref={ref} className={classes.line} data-compared={current ? true : undefined}>
      {width > 0 && (
        <svg
          width={width}
          height={current ? 208 : 176}
          role="img"
          aria-label={`From ${wallDay(begin)} to ${wallDay(items.at(-1)!.at)}: ${sent}`}
        >
          <clipPath id={clip}>
            <rect x={0} y={0} width={now} height={208} />
          </clipPath>
          {ticks.map((tick, n) => (
            <g key={tick.at.getTime()}>
              {shownTicks[n] && (
                <>
                  <path d={`M${x(tick.at)} 40V106`} className={classes.tick} />
                  <text x={x(tick.at) + 5} y={50} className={classes.axis}>
                    {tick.label}
                  </text>
                </>
              )}
            </g>
          ))}
          <Pipes items={items} x={x} />
          <g clipPath={`url(#${clip})`} className={classes.past}>
            <Pipes items={items} x={x} />
          </g>
          <circle cx={x(begin)} cy={106} r={5} className={classes.start} />
          {/* The selected one last, above its neighbors. */}
          {[...items.keys()]
            .toSorted((a, b) => Number(a === at) - Number(b === at))
            .map((n) => (
              <Mark key={n} item={items[n]!} x={x(items[n]!.at)} isPast={n <= at} isSelected={n === at} />
            ))}
          {ordered.map((item, n) => {
            const label = names[n]
            return (
              label && (
                <g
                  key={items.indexOf(item)}
                  className={item === selected ? classes.selected : ''}
                  textAnchor={label.anchor}
                >
                  <text x={label.x} y={148} className={classes.name}>
                    {label.text}
                  </text>
                  <text x={label.x} y={164} className={classes.axis}>
                    {wallDate(item.at)}
                  </text>
                </g>
              )
            )
          })}
          {current && (
            <g className={classes.current}>
              <text x={x(begin) - 6} y={180} className={classes.axis}>
                {currentName}
              </text>
              <path d={`M${x(current[0]!.at)} 190H${x(current.at(-1)!.at)}`} className={classes.pipe} />
              {current
                .filter(({ isMessage }) => isMessage)
                .map((item, n) => (
                  <path
                    key={n}
                    d={DROP}
                    transform={`translate(${x(item.at)} 191) scale(.8)`}
                    className={classes.drop}
                  />
                ))}
            </g>
          )}
          {decisions.map(
            (label, n) =>
              label && (
                <text key={n} x={label.x} y={92} textAnchor={label.anchor} className={classes.decision}>
                  {label.text}
                </text>
              ),
          )}
          <path d={`M0 34V106`} className={classes.scrub} style={{ transform: `translateX(${now}px)` }} />
          {!selected.isMessage && (
            <circle r={6} cy={106} className={classes.knob} style={{ transform: `translateX(${now}px)` }} />
          )}
        </svg>
      )}
      {width > 0 && (
        <span className={`wide ${classes.flag}`} style={{ left: Math.min(Math.max(now, flagHalf), width - flagHalf) }}>
          {flag}
        </span>
      )}
    </div>
  )
}

const middle = (x: number, text: string): Label => ({ x, text, anchor: 'middle' })

/** The line from each entry to the next. */
const Pipes = ({ items, x }: { items: readonly Item[]; x: (time: Date) => number }) =>
  items.slice(1).map((item, n) => {
    const before = items[n]!
    if (item.at.getTime() - before.at.getTime() < MINUTE_MS) return null
    const className = `${classes.pipe} ${before.waitsFor === undefined ? '' : classes.waiting}`
    const [from, to] = [x(before.at), x(item.at)]
    const label = before.waitsFor === undefined ? undefined : `waits for ${before.waitsFor}`
    return (
      <g key={n}>
        <path d={`M${from} 106H${to}`} className={className} />
        {label !== undefined && to - from > textWidth(label) + 2 * EDGE && (
          <text x={(from + to) / 2} y={126} textAnchor="middle" className={classes.axis}>
            {label}
          </text>
        )}
      </g>
    )
  })

/** An email is a drop, a decision a diamond, an event a dot. */
function Mark({ item, x, isPast, isSelected }: { item: Item; x: number; isPast: boolean; isSelected: boolean }) {
  const { entry, isMessage } = item
  if (isMessage)
    return (
      <g className={isPast ? classes.past : ''} transform={`translate(${x} 116)`}>
        <path d="M0-10V2" className={classes.stem} />
        <path d={DROP} className={classes.drop} transform={isSelected ? 'scale(1.25)' : ''} />
      </g>
    )
  if (entry.type === 'BRANCH') return <path d={`M${x} 99l7 7-7 7-7-7z`} className={classes.diamond} />
  if (entry.type === 'EVENT') return <circle cx={x} cy={106} r={4} className={classes.event} />
  return null
}
