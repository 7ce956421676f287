import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { useAutomationsWithStats } from './use-active-automations.ts'
import classes from './HomePage.module.css'

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
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={4} />}
      {data && busy.length === 0 && <p className="t2">No contacts in an automation yet.</p>}
      {busy.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Automation</th>
              <th className="num">Active</th>
              <th className="num">Next step</th>
              <th className="num wide">Messages, 24 h</th>
              <th className="wide">Problems, all time</th>
            </tr>
          </thead>
          <tbody>
            {busy.slice(0, SHOWN).map(({ automation, stats }) => {
              const { failed, unconfirmed } = stats.messages
              return (
                <tr key={automation.id}>
                  <td className="strong">
                    <Link
                      to="/w/$workspaceId/automations/$automationId"
                      params={{ workspaceId: workspace.id, automationId: automation.id }}
                      search={{ view: 'numbers' }}
                    >
                      {automation.name}
                    </Link>
                  </td>
                  <td className="num strong">{count(stats.active)}</td>
                  <td className="num t2">
                    {automation.status !== 'active' && stats.paused > 0 ? (
                      'Paused'
                    ) : stats.nextWakeAt === null ? (
                      'Now'
                    ) : (
                      <Time at={stats.nextWakeAt} />
                    )}
                  </td>
                  <td className="num t2 wide">{count(totalOf(stats.days.at(-1)!.messages))}</td>
                  <td className={`wide ${classes.problems}`}>
                    {unconfirmed > 0 && (
                      <StatusBadge
                        plain
                        status={{ ...MESSAGE_STATUS.UNCONFIRMED, label: `${count(unconfirmed)} unconfirmed` }}
                      />
                    )}
                    {failed > 0 && (
                      <StatusBadge plain status={{ ...MESSAGE_STATUS.FAILED, label: `${count(failed)} failed` }} />
                    )}
                    {unconfirmed + failed === 0 && <span className="t3">None</span>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Section>
  )
}
