import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { useAutomationsWithStats } from './use-active-automations.ts'
import classes from './HomePage.module.css'

type Row = NonNullable<ReturnType<typeof useAutomationsWithStats>['data']>[number]

const SHOWN = 8

/** Lists automations with active contacts. */
export function ActiveAutomations() {
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useAutomationsWithStats()
  const busy = (data ?? []).filter(({ stats }) => stats.active > 0).toSorted((a, b) => b.stats.active - a.stats.active)
  const active = busy.reduce((sum, { stats }) => sum + stats.active, 0)
  return (
    <Section
      title="Active in automations"
      meta={data && `${plural(active, 'enrollment')} in ${plural(busy.length, 'automation')}`}
    >
      <DataTable<Row>
        label="Active in automations"
        rows={data && busy.slice(0, SHOWN)}
        error={error}
        onRetry={() => void refetch()}
        idOf={({ automation }) => automation.id}
        columns={COLUMNS}
        link={({ automation }, title) => (
          <Link
            to="/w/$workspaceId/automations/$automationId"
            params={{ workspaceId: workspace.id, automationId: automation.id }}
            search={{ view: 'numbers' }}
          >
            {title}
          </Link>
        )}
        hidesFoot
        empty={<p className="t2">No contacts in an automation yet.</p>}
      />
    </Section>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'automation',
    head: 'Automation',
    phone: 'title',
    cell: ({ automation }) => <span className="strong">{automation.name}</span>,
  },
  {
    id: 'active',
    head: 'Active',
    isNumber: true,
    phone: 'state',
    cell: ({ stats }) => <span className="strong">{count(stats.active)}</span>,
  },
  {
    id: 'next',
    head: 'Next step',
    isNumber: true,
    phone: 'about',
    cell: ({ automation, stats }) => (
      <span className="t2">
        {automation.status !== 'active' && stats.paused > 0 ? (
          'Paused'
        ) : stats.nextWakeAt === null ? (
          'Now'
        ) : (
          <Time at={stats.nextWakeAt} />
        )}
      </span>
    ),
  },
  {
    id: 'day',
    head: 'Messages, 24 h',
    isNumber: true,
    cell: ({ stats }) => <span className="t2">{count(totalOf(stats.days.at(-1)!.messages))}</span>,
  },
  { id: 'problems', head: 'Problems, all time', cell: ({ stats }) => <Problems of={stats.messages} /> },
]

const Problems = ({ of: { failed, unconfirmed } }: { of: Row['stats']['messages'] }) => (
  <span className={classes.problems}>
    {unconfirmed > 0 && (
      <StatusBadge plain status={{ ...MESSAGE_STATUS.UNCONFIRMED, label: `${count(unconfirmed)} unconfirmed` }} />
    )}
    {failed > 0 && <StatusBadge plain status={{ ...MESSAGE_STATUS.FAILED, label: `${count(failed)} failed` }} />}
    {unconfirmed + failed === 0 && <span className="t3">None</span>}
  </span>
)
