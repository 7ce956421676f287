import { aContact, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'

/** Minutes. */
export const DAY = 24 * 60
export const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'Hi' })

export interface Step {
  id: string
  type: string
}

/** Publishes, and reads enrollments, in the workspace of a test. @param workspace returns it once it is open */
export function movesIn(workspace: () => Service) {
  const em = () => workspace().context.orm.em.fork()
  const publish = (id: string, body: object, headers = {}) =>
    workspace().call('POST', `automations/${id}/publish`, body, { headers })
  const preview = async (id: string, body: object = {}) =>
    (await workspace().call('POST', `automations/${id}/publish/preview`, body)).body.data as object
  const stepsOf = async (id: string) => (await workspace().call('GET', `automations/${id}`)).body.data.steps as Step[]
  const untilFinished = (id: string) =>
    eventually('the move is finished', async () => {
      const { data } = (await workspace().call('GET', `automations/${id}/move`)).body as {
        data: { status: string; version: number }
      }
      return data.status === 'FINISHED' ? data : undefined
    })
  const enrollmentsOf = async (id: string) =>
    (await workspace().call('GET', `automations/${id}/enrollments`)).body.data as {
      id: string
      contactId: string
      status: string
      version: number
      enrolledAt: string
      nextStepId: string | null
      nextAt: string | null
    }[]
  /** Days from the first email of each enrollment until its next step. */
  const daysOf = (enrollments: Awaited<ReturnType<typeof enrollmentsOf>>) =>
    enrollments.map(({ enrolledAt, nextAt }) => Math.round((Date.parse(nextAt!) - Date.parse(enrolledAt)) / 86_400_000))
  const subjectsOf = async (contactId: string) =>
    (await activityOf(workspace(), contactId)).map(({ subject }) => subject).toSorted()

  /** Enrolls contacts, and waits until each is at the step, in this and in an automation of another workspace. */
  async function inside(steps: object[], count: number, fields: object = {}) {
    const id = await anAutomation(workspace(), { steps, ...fields })
    const contactIds: string[] = []
    for (let n = 0; n < count; n += 1) contactIds.push(await aContact(workspace(), { metadata: { plan: 'pro' } }))
    for (const contactId of contactIds) await enroll(workspace(), id, contactId)
    await eventually('all wait', async () => {
      const waiting = await sql(
        em(),
        `select from enrollments where automation_id = $1::uuid and (next_step_id, wakes_at > now()) is not null
           and wakes_at > now()`,
        [id],
      )
      return waiting.length === count || undefined
    })
    return { id, contactIds, steps: await stepsOf(id) }
  }

  async function loseWorkflow(automationId: string, contactId: string) {
    const { workflowService, workflow } = workspace().context.temporal
    const workflowId = `enrollment:${automationId}:${contactId}`
    await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId } })
    const isGone = () =>
      workflow
        .getHandle(workflowId)
        .describe()
        .then(
          () => undefined,
          () => true,
        )
    await eventually('the workflow is deleted', isGone)
  }

  return { em, publish, preview, stepsOf, untilFinished, enrollmentsOf, daysOf, subjectsOf, inside, loseWorkflow }
}
