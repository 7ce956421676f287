import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { StackedBar, breakdownOf, totalOf } from '../../components/MessageBreakdown.tsx'
import { count, plural, timeOf } from '../../lib/format.ts'
import { ENROLLMENT_STATUS, MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import classes from './Builder.module.css'
import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Selected } from './canvas-context.ts'
import { actionOf } from './describe-step.ts'
import { contactsAtRemovedSteps, statsByStep } from './step-stats.ts'
import type { AutomationDraft } from './draft.ts'
import { listAt, type TreeIndex } from './step-tree.ts'

/** Shows the stats of the selection and the contacts at it. */
export function StatsPanel({
  automation,
  sequence,
  tree,
  names,
  stats,
  selected,
}: {
  automation: Schemas['Automation']
  sequence: AutomationDraft
  tree: TreeIndex
  names: Names
  stats: Schemas['AutomationStats'] | undefined
  selected: Selected
}) {
  if (!stats) return <SkeletonRows />
  const found = tree.find(selected)
  if (!found) return <AllEnrollments stats={stats} earlier={contactsAtRemovedSteps(sequence, stats)} />
  const { step, place, number } = found
  const numbers = statsByStep(sequence, stats).get(step.id)
  if (step.type !== 'EMAIL') {
    const isWait = step.type === 'WAIT' || step.type === 'WAIT_UNTIL'
    const email =
      isWait &&
      listAt(sequence.steps, tree, place)
        .slice(place.at)
        .find(({ type }) => type === 'EMAIL')
    if (!numbers)
      return (
        <>
          <h2>Step {number}</h2>
          <p className="small t3">{actionOf(step, names)}</p>
          <p className="t2" style={{ marginTop: 16 }}>
            Only emails, and waits before them, have stats.
          </p>
        </>
      )
    return (
      <>
        <h2>Step {number}</h2>
        <p className="small t3">{actionOf(step, names)}</p>
        <p className={classes.big} style={{ marginTop: 16 }}>
          {count(numbers.here)}
        </p>
        <p className="t2">contacts waiting</p>
        {email && <NextContacts automationId={automation.id} stepId={email.id} />}
      </>
    )
  }
  const messages = numbers?.messages
  return (
    <>
      <h2>Step {number}</h2>
      <p className="small t3 cut">{step.subject}</p>
      {messages && (
        <>
          <p className={classes.big} style={{ marginTop: 16 }}>
            {count(totalOf(messages))}
          </p>
          <p className="t2">messages due at this step</p>
          <div style={{ marginTop: 12 }}>
            <StackedBar
              terms={breakdownOf(messages, false).map(({ status, value }) => ({
                meaning: MESSAGE_STATUS[status].tone,
                value,
              }))}
            />
          </div>
          <div className={classes.terms}>
            {breakdownOf(messages, false).map(({ status, value }) => (
              <div key={status}>
                <StatusBadge plain status={MESSAGE_STATUS[status]} />
                <span className={value === 0 ? 't3' : 'strong'}>{count(value)}</span>
              </div>
            ))}
          </div>
        </>
      )}
      <NextContacts automationId={automation.id} stepId={step.id} />
      <LatestMessages automationId={automation.id} stepId={step.id} />
    </>
  )
}

function AllEnrollments({ stats, earlier }: { stats: Schemas['AutomationStats']; earlier: number }) {
  const { enrolled, completed, active, paused, stopped, cancelled, erased, exited, goal_reached: goalReached } = stats
  const terms = [
    { look: ENROLLMENT_STATUS.COMPLETED, value: completed },
    { look: ENROLLMENT_STATUS.ACTIVE, value: active - paused },
    { look: ENROLLMENT_STATUS.PAUSED, value: paused },
    { look: ENROLLMENT_STATUS.GOAL_REACHED, value: goalReached },
    { look: ENROLLMENT_STATUS.EXITED, value: exited },
    { look: ENROLLMENT_STATUS.STOPPED, value: stopped },
    { look: ENROLLMENT_STATUS.CANCELLED, value: cancelled },
    { look: { ...ENROLLMENT_STATUS.CANCELLED, label: 'Erased' }, value: erased },
  ]
  return (
    <>
      <h2>All enrollments</h2>
      <p className={classes.big} style={{ marginTop: 16 }}>
        {count(enrolled)}
      </p>
      <p className="t2">enrolled</p>
      <div style={{ marginTop: 12 }}>
        <StackedBar terms={terms.map(({ look, value }) => ({ meaning: look.tone, value }))} />
      </div>
      <div className={classes.terms}>
        {terms
          .filter(({ value }, n) => value > 0 || n < 2)
          .map(({ look, value }) => (
            <div key={look.label}>
              <StatusBadge plain status={look} />
              <span className={value === 0 ? 't3' : 'strong'}>{count(value)}</span>
            </div>
          ))}
      </div>
      {earlier > 0 && (
        <p className="small t3" style={{ marginTop: 12 }}>
          {plural(earlier, 'contact')} {earlier === 1 ? 'is' : 'are'} at steps of earlier versions, which are not shown.
        </p>
      )}
    </>
  )
}

/** The contacts that reach an email next. */
function NextContacts({ automationId, stepId }: { automationId: string; stepId: string }) {
  const { data } = useWorkspaceQuery(
    ['automations', automationId, 'next', stepId],
    async (api, signal) => {
      const params = { path: { id: automationId }, query: { sort: 'next' as const, stepId, limit: 6 } }
      const { data: listed } = await api.GET('/automations/{id}/enrollments', { params, signal })
      return Promise.all(
        listed.data.map(async (enrollment) => {
          const { data: contact } = await api.GET('/contacts/{id}', {
            params: { path: { id: enrollment.contactId } },
            signal,
          })
          return { enrollment, email: contact.data.email }
        }),
      )
    },
    { refetchMs: 10_000 },
  )
  if (!data || data.length === 0) return null
  return (
    <Section title="Next">
      <ul>
        {data.map(({ enrollment, email }) => (
          <li key={enrollment.id} className="row" style={{ height: 26 }}>
            <span className="t2" style={{ minWidth: 96 }}>
              {enrollment.paused ? (
                <StatusBadge plain status={ENROLLMENT_STATUS.PAUSED} />
              ) : (
                <Time at={enrollment.nextAt} />
              )}
            </span>
            <span className="cut">{email}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function LatestMessages({ automationId, stepId }: { automationId: string; stepId: string }) {
  const { data } = useWorkspaceQuery(
    ['messages', 'of', automationId],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { automationId, limit: 50 } }, signal })).data.data,
    { refetchMs: 10_000 },
  )
  const own = data?.filter((message) => message.stepId === stepId).slice(0, 6) ?? []
  if (own.length === 0) return null
  return (
    <Section title="Latest">
      <ul>
        {own.map((message) => (
          <li key={message.id} className="row" style={{ height: 28 }}>
            <span className="mono t3">{timeOf(new Date(message.createdAt))}</span>
            <StatusBadge status={MESSAGE_STATUS[message.status]} />
            <span className="cut">{message.to}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
