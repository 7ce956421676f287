import { useEffect, useRef } from 'react'
import { plural } from '../../lib/format.ts'
import { wallDay, wallMinute } from '../../lib/wall-time.ts'
import type { Item } from './items.ts'
import classes from './rehearsal.module.css'

/** The entries of a timeline in words. @param at the position of the selected entry */
export function WhatHappens({
  items,
  zone,
  at,
  onSelect,
}: {
  items: readonly Item[]
  zone: string
  at?: number
  onSelect?: (at: number) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const row = list.current?.querySelector('[aria-current]')
    // Only inside the list: on a phone, the page stays where it is.
    const box = list.current?.parentElement
    if (!row || !box || box.scrollHeight <= box.clientHeight) return
    row.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <section aria-label="What happens" className={classes.what}>
      <div className={classes.head}>
        <h2>What happens</h2>
        <span className="t3 cut">{summaryOf(items)}</span>
        {onSelect && (
          <span className="push wide">
            <kbd>J</kbd> <kbd>K</kbd>
          </span>
        )}
      </div>
      <ol ref={list}>
        {items.map((item, n) => (
          <li key={n} aria-current={n === at || undefined}>
            <Row item={item} {...(onSelect && { onClick: () => onSelect(n) })} />
          </li>
        ))}
      </ol>
      <p className={`small t3 ${classes.zone}`}>Times in {zone}</p>
    </section>
  )
}

function Row({ item, onClick }: { item: Item; onClick?: () => void }) {
  const { at, title, then, icon: Icon, tone, isMessage } = item
  const content = (
    <>
      <span className={classes.when}>
        <span className="t2">{wallDay(at)}</span>
        <span className="t3">{wallMinute(at)}</span>
      </span>
      <span className={`${classes.mark} c-${tone}`} aria-hidden>
        <Icon size={13} stroke={2} />
      </span>
      <span className={classes.fact}>
        <span className={isMessage ? classes.message : 't2'}>{title}</span>
        {then !== undefined && <span className="small t3">{then}</span>}
      </span>
    </>
  )
  if (!onClick) return <div className={classes.entry}>{content}</div>
  return (
    <button type="button" className={`textButton ${classes.entry}`} onClick={onClick}>
      {content}
    </button>
  )
}

function summaryOf(items: readonly Item[]): string {
  const of = (type: string) => items.filter(({ entry }) => entry.type === type).length
  const [decisions, events] = [of('BRANCH'), of('EVENT')]
  return [
    plural(items.filter(({ isMessage }) => isMessage).length, 'email'),
    ...(decisions > 0 ? [plural(decisions, 'decision')] : []),
    ...(events > 0 ? [plural(events, 'event')] : []),
  ].join(', ')
}
