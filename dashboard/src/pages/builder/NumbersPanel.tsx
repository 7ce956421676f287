import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/workspace.tsx'
import { AccountBar, termsOf, totalOf } from '../../parts/Account.tsx'
import { count, delay, things, timeOf } from '../../parts/numbers.ts'
import { ENROLLMENT_LOOKS, MESSAGE_LOOKS, State } from '../../parts/states.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Time } from '../../parts/Time.tsx'
import { Part } from '../../shell/Page.tsx'
import classes from './Builder.module.css'
import type { Selected } from './Canvas.tsx'
import { atEarlierSteps, numbersBySteps } from './numbers.ts'
import type { Sequence } from './sequence.ts'

/** The numbers of what is selected, and who is behind them. */
export function NumbersPanel({
  automation,
  sequence,
  figures,
  selected,
}: {
  automation: Schemas['Automation']
  sequence: Sequence
  figures: Schemas['AutomationFigures'] | undefined
  selected: Selected
}) {
  if (!figures) return <Rows />
  const place = sequence.steps.findIndex(({ id }) => id === selected)
  const step = sequence.steps[place]
  if (!step) return <Whole figures={figures} earlier={atEarlierSteps(sequence, figures)} />
  const numbers = numbersBySteps(sequence, figures).get(step.id)
  if (step.type === 'WAIT') {
    const email = sequence.steps.slice(place).find(({ type }) => type === 'EMAIL')
    return (
      <>
        <h2>Step {place + 1}</h2>
        <p className="small t3">Wait {delay(step.delayMinutes)}</p>
        <p className={classes.big} style={{ marginTop: 16 }}>
          {count(numbers?.here ?? 0)}
        </p>
        <p className="t2">contacts wait here</p>
        {email && <Next automationId={automation.id} stepId={email.id} />}
      </>
    )
  }
  const messages = numbers?.messages
  return (
    <>
      <h2>Step {place + 1}</h2>
      <p className="small t3 cut">{step.subject}</p>
      {messages && (
        <>
          <p className={classes.big} style={{ marginTop: 16 }}>
            {count(totalOf(messages))}
          </p>
          <p className="t2">messages were due at this step</p>
          <div style={{ marginTop: 12 }}>
            <AccountBar
              terms={termsOf(messages, false).map(({ status, value }) => ({
                meaning: MESSAGE_LOOKS[status].meaning,
                value,
              }))}
            />
          </div>
          <div className={classes.terms}>
            {termsOf(messages, false).map(({ status, value }) => (
              <div key={status}>
                <State plain look={MESSAGE_LOOKS[status]} />
                <span className={value === 0 ? 't3' : 'strong'}>{count(value)}</span>
              </div>
            ))}
          </div>
        </>
      )}
      <Next automationId={automation.id} stepId={step.id} />
      <Latest automationId={automation.id} stepId={step.id} />
    </>
  )
}

function Whole({ figures, earlier }: { figures: Schemas['AutomationFigures']; earlier: number }) {
  const { enrolled, completed, active, held, stopped, cancelled, erased } = figures
  const terms = [
    { look: ENROLLMENT_LOOKS.COMPLETED, value: completed },
    { look: ENROLLMENT_LOOKS.ACTIVE, value: active - held },
    { look: ENROLLMENT_LOOKS.HELD, value: held },
    { look: ENROLLMENT_LOOKS.STOPPED, value: stopped },
    { look: ENROLLMENT_LOOKS.CANCELLED, value: cancelled },
    { look: { ...ENROLLMENT_LOOKS.CANCELLED, word: 'Erased' }, value: erased },
  ]
  return (
    <>
      <h2>All enrollments</h2>
      <p className={classes.big} style={{ marginTop: 16 }}>
        {count(enrolled)}
      </p>
      <p className="t2">enrolled</p>
      <div style={{ marginTop: 12 }}>
        <AccountBar terms={terms.map(({ look, value }) => ({ meaning: look.meaning, value }))} />
      </div>
      <div className={classes.terms}>
        {terms
          .filter(({ value }, n) => value > 0 || n < 2)
          .map(({ look, value }) => (
            <div key={look.word}>
              <State plain look={look} />
              <span className={value === 0 ? 't3' : 'strong'}>{count(value)}</span>
            </div>
          ))}
      </div>
      {earlier > 0 && (
        <p className="small t3" style={{ marginTop: 12 }}>
          {things(earlier, 'contact')} of these {earlier === 1 ? 'stands' : 'stand'} at steps of earlier versions, which
          are not drawn any more.
        </p>
      )}
    </>
  )
}

/** Who is next at an email. */
function Next({ automationId, stepId }: { automationId: string; stepId: string }) {
  const { data } = useRead(
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
    { everyMs: 10_000 },
  )
  if (!data || data.length === 0) return null
  return (
    <Part title="Next">
      <ul>
        {data.map(({ enrollment, email }) => (
          <li key={enrollment.id} className="row" style={{ height: 26 }}>
            <span className="t2" style={{ minWidth: 96 }}>
              {enrollment.held ? <State plain look={ENROLLMENT_LOOKS.HELD} /> : <Time at={enrollment.nextAt} />}
            </span>
            <span className="cut">{email}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** The last messages of a step. */
function Latest({ automationId, stepId }: { automationId: string; stepId: string }) {
  const { data } = useRead(
    ['messages', 'of', automationId],
    async (api, signal) =>
      (await api.GET('/messages', { params: { query: { automationId, limit: 50 } }, signal })).data.data,
    { everyMs: 10_000 },
  )
  const own = data?.filter((message) => message.stepId === stepId).slice(0, 6) ?? []
  if (own.length === 0) return null
  return (
    <Part title="Latest">
      <ul>
        {own.map((message) => (
          <li key={message.id} className="row" style={{ height: 28 }}>
            <span className="mono t3">{timeOf(new Date(message.createdAt))}</span>
            <State look={MESSAGE_LOOKS[message.status]} />
            <span className="cut">{message.to}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}
