import assert from 'node:assert/strict'
import { prepareStep, type StepToSend } from '../../src/enrollments/send-step.ts'
import type { Prepared } from '../../src/messages/prepared.ts'
import type { Attempt, MessageStore } from '../../src/messages/store.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { quietLog } from './log.ts'
import type { Service } from './service.ts'

export const storeOf = (service: Service): MessageStore => createMessageStore(service.context.orm.em)

/** Returns the first email step of a contact's newest enrollment. */
export async function stepOf(service: Service, automationId: string, contactId: string): Promise<StepToSend> {
  const { body } = await service.call('GET', `automations/${automationId}`)
  const [row] = await sql<{ id: string; workspace_id: string }>(
    service.context.orm.em.fork(),
    `select id, workspace_id from enrollments where contact_id = $1::uuid and automation_id = $2::uuid
     order by recorded_at desc limit 1`,
    [contactId, automationId],
  )
  const { steps } = body.data as { steps: { id: string; type: string }[] }
  const stepId = steps.find(({ type }) => type === 'EMAIL')!.id
  return { workspaceId: row!.workspace_id, automationId, enrollmentId: row!.id, stepId }
}

/** Prepares a step's email: see `prepareStep`. */
export const look = (service: Service, step: StepToSend) =>
  prepareStep({ em: service.context.orm.em, log: quietLog }, step)

/** Prepares a step's email that may be sent now. */
export async function prepare(service: Service, step: StepToSend): Promise<Prepared> {
  const prepared = await look(service, step)
  assert.equal(prepared.kind, 'ready')
  return prepared.message
}

export const anAttempt = (message: Prepared, header = '<of-a-test@example.com>'): Attempt => ({
  message,
  claim: newId(),
  header,
})

/** Claims a step's email for sending, as a sender that dies afterwards. */
export async function claimStep(service: Service, step: StepToSend): Promise<Attempt> {
  const attempt = anAttempt(await prepare(service, step))
  assert.ok(await storeOf(service).claim(attempt, { status: 'SENDING' }))
  return attempt
}

/** Defers a step's email, as its sender does when the mail server is unavailable. */
export async function deferStep(service: Service, step: StepToSend, error: string): Promise<Attempt> {
  const attempt = anAttempt(await prepare(service, step))
  await storeOf(service).defer(attempt, error, { dueInSeconds: null })
  return attempt
}
