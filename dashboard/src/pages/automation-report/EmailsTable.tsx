import type { Schemas } from '../../api/client.ts'
import { useSender } from '../../api/queries.ts'
import { Section } from '../../layout/Page.tsx'
import { count, percentOf, plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { PartBar } from '../../primitives/RateBar.tsx'
import type { TreeIndex } from '../builder/step-tree.ts'
import classes from './report.module.css'

type Results = Schemas['StepResults']
type Row = Results & { subject: string }

/** Lists the results of each email, also of those that are no longer in the automation. */
export function EmailsTable({
  tree,
  report: { steps, total },
}: {
  tree: TreeIndex
  report: Schemas['AutomationReport']
}) {
  const { data: sender } = useSender()
  if (steps.length === 0) return null
  const subjectOf = (id: string) => {
    const step = tree.find(id)?.step
    return step?.type === 'EMAIL' ? step.subject || 'No subject' : 'Removed email'
  }
  const place = new Map(tree.order.map((id, n) => [id, n]))
  const rows = steps
    .map((each): Row => ({ ...each, subject: subjectOf(each.stepId) }))
    .toSorted((a, b) => (place.get(a.stepId) ?? Infinity) - (place.get(b.stepId) ?? Infinity))
  return (
    <Section title="Emails" meta={`${count(total.sent)} sent`}>
      <DataTable<Row>
        label="Emails"
        rows={rows}
        idOf={({ stepId }) => stepId}
        columns={columnsOf(sender)}
        empty={null}
        total={plural(rows.length, 'email')}
      />
    </Section>
  )
}

const rate = (of: (row: Row) => number, isTracked: boolean | undefined) => (row: Row) =>
  of(row) === 0 && isTracked === false ? (
    <span className="t3">Not tracked</span>
  ) : (
    <span className={classes.rate}>
      <PartBar value={of(row)} total={row.delivered} /> {percentOf(of(row), row.delivered) || '–'}
    </span>
  )

const columnsOf = (sender: { trackOpens: boolean; trackClicks: boolean } | undefined): readonly Column<Row>[] => [
  { id: 'email', head: 'Email', phone: 'title', cell: ({ subject }) => <span className="strong">{subject}</span> },
  { id: 'sent', head: 'Sent', isNumber: true, phone: 'figure', cell: ({ sent }) => count(sent) },
  { id: 'delivered', head: 'Delivered', isNumber: true, cell: ({ delivered }) => count(delivered) },
  { id: 'bounced', head: 'Bounced', isNumber: true, cell: ({ bounced }) => count(bounced) },
  {
    id: 'open',
    head: 'Open rate',
    isNumber: true,
    phone: 'figure',
    cell: rate(({ opened }) => opened, sender?.trackOpens),
  },
  {
    id: 'click',
    head: 'Click rate',
    isNumber: true,
    phone: 'figure',
    cell: rate(({ clicked }) => clicked, sender?.trackClicks),
  },
  {
    id: 'unsubscribed',
    head: 'Unsubscribed',
    isNumber: true,
    cell: ({ unsubscribed, delivered }) => (
      <>
        {count(unsubscribed)} <span className="t3">{percentOf(unsubscribed, delivered)}</span>
      </>
    ),
  },
]
