import { Section } from '../../../layout/Page.tsx'
import { count } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { notEnrolledText, notSentText } from '../labels.ts'
import type { Rehearsal } from './queries.ts'

interface Row {
  reason: string
  value: number
}

/** Contacts who are not enrolled, and emails that are not sent, by the reason. */
export function Reasons({ of: { refused, suppressed } }: { of: Rehearsal }) {
  const notEnrolled = refused.map(({ rule, contacts }) => ({ reason: notEnrolledText(rule) ?? rule, value: contacts }))
  const notSent = suppressed.map(({ reason, emails }) => ({ reason: notSentText(reason), value: emails }))
  return (
    <>
      <Table title="Not enrolled" unit="Contacts" rows={notEnrolled} />
      <Table title="Not sent" unit="Emails" rows={notSent} />
    </>
  )
}

function Table({ title, unit, rows }: { title: string; unit: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null
  const columns: readonly Column<Row>[] = [
    { id: 'reason', head: 'Reason', phone: 'title', cell: ({ reason }) => capitalized(reason) },
    { id: 'value', head: unit, isNumber: true, phone: 'state', cell: ({ value }) => count(value) },
  ]
  return (
    <Section title={title}>
      <DataTable<Row>
        label={title}
        rows={rows}
        idOf={({ reason }) => reason}
        columns={columns}
        hidesFoot
        empty={null}
      />
    </Section>
  )
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
