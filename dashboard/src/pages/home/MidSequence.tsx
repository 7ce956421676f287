import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import { totalOf } from '../../parts/Account.tsx'
import { count, things } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { MESSAGE_LOOKS, State } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { Part } from '../../shell/Page.tsx'
import { useBusyAutomations } from './busy-automations.ts'
import classes from './HomePage.module.css'

const SHOWN = 8

/** Automations that somebody is in. */
export function MidSequence() {
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useBusyAutomations()
  const busy = (data ?? [])
    .filter(({ figures }) => figures.active > 0)
    .toSorted((a, b) => b.figures.active - a.figures.active)
  const active = busy.reduce((sum, { figures }) => sum + figures.active, 0)
  return (
    <Part
      title="Mid-sequence now"
      beside={data && `${things(active, 'enrollment')} in ${things(busy.length, 'automation')}`}
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Rows rows={4} />}
      {data && busy.length === 0 && <p className="t2">Nobody is in an automation.</p>}
      {busy.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Automation</th>
              <th className="num">Mid-sequence</th>
              <th className="num">Next step</th>
              <th className="num wide">Messages, 24 h</th>
              <th className="wide">Problems</th>
            </tr>
          </thead>
          <tbody>
            {busy.slice(0, SHOWN).map(({ automation, figures }) => {
              const { failed, unconfirmed } = figures.messages
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
                  <td className="num strong">{count(figures.active)}</td>
                  <td className="num t2">
                    {automation.status !== 'active' && figures.held > 0 ? (
                      'Held'
                    ) : figures.nextWakeAt === null ? (
                      'Now'
                    ) : (
                      <Time at={figures.nextWakeAt} />
                    )}
                  </td>
                  <td className="num t2 wide">{count(totalOf(figures.days.at(-1)!.messages))}</td>
                  <td className={`wide ${classes.problems}`}>
                    {unconfirmed > 0 && (
                      <State plain look={{ ...MESSAGE_LOOKS.UNCONFIRMED, word: `${count(unconfirmed)} unconfirmed` }} />
                    )}
                    {failed > 0 && <State plain look={{ ...MESSAGE_LOOKS.FAILED, word: `${count(failed)} failed` }} />}
                    {unconfirmed + failed === 0 && <span className="t3">None</span>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Part>
  )
}
