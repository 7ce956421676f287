import type { Schemas } from '../api/client.ts'
import classes from './MessageBreakdown.module.css'
import { count } from '../lib/format.ts'
import { MESSAGE_STATUS, type MessageStatus, type StatusStyle } from './StatusBadge.tsx'

type Counts = Schemas['MessageCounts']

const STATUS_ORDER: readonly MessageStatus[] = [
  'SENT',
  'CAPTURED',
  'QUEUED',
  'SENDING',
  'DEFERRED',
  'FAILED',
  'UNCONFIRMED',
  'SUPPRESSED',
  'DISMISSED',
]
/** Statuses that are shown even when their count is zero. */
const ALWAYS_SHOWN: readonly MessageStatus[] = ['SENDING', 'DEFERRED', 'FAILED', 'UNCONFIRMED']

const countOf = (counts: Counts, status: MessageStatus): number => counts[status.toLowerCase() as keyof Counts]

export const totalOf = (counts: Counts): number =>
  STATUS_ORDER.reduce((sum, status) => sum + countOf(counts, status), 0)

/** Splits message counts by status, without statuses that are zero and not essential. */
export function breakdownOf(counts: Counts, isTest: boolean): { status: MessageStatus; value: number }[] {
  // In a test workspace, captured messages take the place of sent ones.
  const main: MessageStatus = isTest || (counts.sent === 0 && counts.captured > 0) ? 'CAPTURED' : 'SENT'
  return STATUS_ORDER.map((status) => ({ status, value: countOf(counts, status) })).filter(
    ({ status, value }) => value > 0 || status === main || ALWAYS_SHOWN.includes(status),
  )
}

export function StackedBar({
  terms,
  small = false,
}: {
  terms: readonly { meaning: string; value: number }[]
  small?: boolean
}) {
  const shown = terms.filter(({ value }) => value > 0)
  return (
    <div className={small ? `${classes.bar} ${classes.small}` : classes.bar} aria-hidden>
      {shown.length === 0 && <i className={classes.none} />}
      {shown.map(({ meaning, value }, n) => (
        <i key={n} className={`c-${meaning}`} style={{ flexGrow: value }} />
      ))}
    </div>
  )
}

/** A status with its icon, and its count, in a description list. */
export const StatusTerm = ({ status: { icon: Icon, label, tone }, value }: { status: StatusStyle; value: number }) => (
  <>
    <dt className={`c-${tone}`}>
      <Icon size={14} stroke={2} aria-hidden />
      {label}
    </dt>
    <dd>{count(value)}</dd>
  </>
)

/** A total and the statuses that add up to it. @param total if it is not the sum of all messages */
export function MessageBreakdown({
  counts,
  isTest,
  total = { label: 'Due', value: totalOf(counts) },
}: {
  counts: Counts
  isTest: boolean
  total?: { label: string; value: number }
}) {
  const terms = breakdownOf(counts, isTest)
  return (
    <div>
      <StackedBar terms={terms.map(({ status, value }) => ({ meaning: MESSAGE_STATUS[status].tone, value }))} />
      <dl className={classes.terms}>
        <div>
          <dt>{total.label}</dt>
          <dd>{count(total.value)}</dd>
        </div>
        {terms.map(({ status, value }, n) => {
          return (
            <div key={status}>
              <span className={classes.sign} aria-hidden>
                {n === 0 ? '=' : '+'}
              </span>
              <StatusTerm status={MESSAGE_STATUS[status]} value={value} />
            </div>
          )
        })}
      </dl>
    </div>
  )
}
