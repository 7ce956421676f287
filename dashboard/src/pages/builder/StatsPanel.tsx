import type { Schemas } from '../../api/client.ts'
import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { StackedBar, breakdownOf, totalOf } from '../../components/MessageBreakdown.tsx'
import { MessageResults } from '../../components/MessageResults.tsx'
import { count, plural, timeOf } from '../../lib/format.ts'
import { ENROLLMENT_STATUS, MESSAGE_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import classes from './Builder.module.css'
import type { Names } from '../../components/conditions/describe-condition.ts'
import type { Selected } from './canvas-context.ts'
import { actionOf } from './describe-step.ts'
import { contactsAtRemovedSteps, statsByStep, type StepStats } from './step-stats.ts'
import type { AutomationDraft } from './draft.ts'
import { branchesOf, listAt, type TreeIndex } from './step-tree.ts'
import type { Step } from './steps.ts'

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
  if (!found)
    return (
      <>
        <AllEnrollments stats={stats} earlier={contactsAtRemovedSteps(sequence, stats)} />
        <EmailResults automationId={automation.id} />
      </>
    )
  const { step, place, number } = found
  const numbers = statsByStep(sequence, stats).get(step.id)
  if (step.type === 'EXIT')
    return (
      <>
        <h2>Step {number}</h2>
        <p className="small t3">{actionOf(step, names)}</p>
      </>
    )
  if (step.type !== 'EMAIL') {
    const isWait = step.type === 'WAIT' || step.type === 'WAIT_UNTIL'
    const after = listAt(sequence.steps, tree, place).slice(place.at + 1)
    // The server names the next step that is not a WAIT.
    const next = isWait ? after.find(({ type }) => type !== 'WAIT') : step
    return (
      <>
        <h2>Step {number}</h2>
        <p className="small t3">{actionOf(step, names)}</p>
        <p className={classes.big} style={{ marginTop: 16 }}>
          {count((isWait ? numbers?.here : numbers?.passed) ?? 0)}
        </p>
        <p className="t2">{isWait ? 'waiting here' : 'passed this step'}</p>
        {numbers && <BranchNumbers step={step} numbers={numbers} />}
        {next && <NextContacts automationId={automation.id} stepId={next.id} />}
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
      <EmailResults automationId={automation.id} stepId={step.id} />
      <NextContacts automationId={automation.id} stepId={step.id} />
      <LatestMessages automationId={automation.id} stepId={step.id} />
    </>
  )
}

/** The contacts who took each branch. */
const BranchNumbers = ({ step, numbers }: { step: Step; numbers: StepStats }) => (
  <div className={classes.terms}>
    {branchesOf(step).map(({ name, key }, n) => {
      const taken = numbers.branches[n] ?? 0
      return (
        <div key={key}>
          <span className="cut">{name}</span>
          <span className={taken === 0 ? 't3' : 'strong'}>{count(taken)}</span>
        </div>
      )
    })}
  </div>
)

function AllEnrollments({ stats, earlier }: { stats: Schemas['AutomationStats']; earlier: number }) {
  const { enrolled, completed, active, paused, stopped, cancelled, erased, exited, goalReached } = stats
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
      <Refused refused={stats.refused} />
      {earlier > 0 && (
        <p className="small t3" style={{ marginTop: 12 }}>
          {plural(earlier, 'contact')} {earlier === 1 ? 'is' : 'are'} at steps of earlier versions, which are not shown.
        </p>
      )}
    </>
  )
}

const REFUSED_LABELS = {
  filter: 'Entry filter',
  reentry: 'Re-entry rule',
  key: 'Event property missing',
  loop: 'Automations started each other too often',
  paused: 'Automation paused',
  triggersOff: 'Contact changed with triggers: false',
} satisfies Record<keyof Schemas['AutomationStats']['refused'], string>

/** The entries that each rule refused. */
function Refused({ refused }: { refused: Schemas['AutomationStats']['refused'] }) {
  const rules = (Object.keys(REFUSED_LABELS) as (keyof typeof REFUSED_LABELS)[]).filter((rule) => refused[rule] > 0)
  if (rules.length === 0) return null
  return (
    <Section title="Entries refused" meta="Last 90 days">
      <div className={classes.terms}>
        {rules.map((rule) => (
          <div key={rule}>
            <span>{REFUSED_LABELS[rule]}</span>
            <span className="strong">{count(refused[rule])}</span>
          </div>
        ))}
      </div>
    </Section>
  )
}

/** The results of the emails of a step, or of all steps. */
function EmailResults({ automationId, stepId }: { automationId: string; stepId?: string }) {
  const { data: report } = useWorkspaceQuery(
    ['automations', automationId, 'report'],
    async (api, signal) =>
      (await api.GET('/automations/{id}/report', { params: { path: { id: automationId } }, signal })).data.data,
    { refetchMs: 10_000 },
  )
  const results = stepId === undefined ? report?.total : report?.steps.find((step) => step.stepId === stepId)
  if (!results || results.sent === 0) return null
  return (
    <Section title="Email results">
      <MessageResults results={results} />
    </Section>
  )
}

/** The contacts that reach a step next, or are at it. */
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
