import { Button } from '@mantine/core'
import { useState } from 'react'
import { Section } from '../../../layout/Page.tsx'
import { count, plural } from '../../../lib/format.ts'
import { wallDay } from '../../../lib/wall-time.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { PartBar } from '../../../primitives/RateBar.tsx'
import type { Rehearsal } from './queries.ts'

type Day = Rehearsal['days'][number]

const MAX_DAYS = 14

/** Emails by day, beside the limit of the warm-up and the send rate. */
export function Days({ of: { days } }: { of: Rehearsal }) {
  const [isAll, setAll] = useState(false)
  const most = Math.max(...days.map(({ emails, limit }) => limit ?? emails), 1)
  const over = days.filter(({ emails, limit }) => limit !== null && emails > limit).length
  const columns: readonly Column<Day>[] = [
    { id: 'day', head: 'Day', phone: 'title', cell: ({ day }) => wallDay(new Date(day)) },
    {
      id: 'bar',
      head: 'Share',
      hidesHead: true,
      phone: 'bar',
      cell: ({ emails, limit }) => <PartBar value={emails} total={limit ?? most} />,
    },
    {
      id: 'emails',
      head: 'Emails',
      isNumber: true,
      phone: 'state',
      cell: ({ emails, limit }) => (
        <span className={limit !== null && emails > limit ? 'strong' : ''}>{count(emails)}</span>
      ),
    },
    {
      id: 'limit',
      head: 'Limit',
      isNumber: true,
      phone: 'number',
      cell: ({ limit }) => (limit === null ? <span className="t3">No limit</span> : count(limit)),
    },
  ]
  return (
    <Section
      title="Emails by day"
      meta={
        over > 0
          ? `In UTC. Above the limit on ${plural(over, 'day')}: the remaining emails are sent the next day.`
          : 'In UTC'
      }
    >
      <DataTable<Day>
        label="Emails by day"
        rows={isAll ? days : days.slice(0, MAX_DAYS)}
        idOf={({ day }) => day}
        columns={columns}
        hidesFoot
        empty={<p className="t2">No emails.</p>}
      />
      {days.length > MAX_DAYS && !isAll && (
        <Button variant="subtle" color="gray" onClick={() => setAll(true)}>
          Show all {count(days.length)} days
        </Button>
      )}
    </Section>
  )
}
