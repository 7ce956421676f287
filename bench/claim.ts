import { prepareStep } from '../src/enrollments/send-step.ts'
import { recordEnrollment } from '../src/enrollments/record-enrollment.ts'
import { readEmailStep } from '../src/enrollments/step-queries.ts'
import { contextOf } from '../src/enrollments/step-source.ts'
import { preparedFrom } from '../src/messages/prepare.ts'
import type { Prepared } from '../src/messages/prepared.ts'
import { findStepMessage, readSendSettings } from '../src/messages/read-queries.ts'
import { createMessageStore } from '../src/runtime/mail.ts'
import { newId } from '../src/platform/ids.ts'
import { preparedSql, sql } from '../src/platform/db/sql.ts'
import { anAutomation, EMAIL } from '../test/support/factories.ts'
import { quietLog } from '../test/support/log.ts'
import { anAttempt } from '../test/support/step-claims.ts'
import { startService, type Service } from './service.ts'
import { median, timed, type Benchmark } from './compare.ts'
import { makeContacts } from './load.ts'

const CONTACTS = 200
const SUPPRESSED = 200_000
const BATCH = 10_000

/** Preparing and claiming an email ÷ the same without reading suppressions. */
export const claiming: Benchmark = {
  name: 'claim',
  title: 'preparing and claiming an email ÷ the same without suppressions, with 200,000 suppressed addresses',
  goal: { atMost: 1.1 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ worker: false })
    const em = () => service.context.orm.em.fork()
    const contacts = await makeContacts(service, CONTACTS, 'claim')
    for (let from = 0; from < SUPPRESSED; from += BATCH)
      await sql(
        em(),
        `insert into suppressions (id, workspace_id, address_hash, reason)
         select gen_random_uuid(), $1::uuid, address_hash($1::uuid, 'gone-' || n || '@example.com'), 'BOUNCED'
         from generate_series($2::integer + 1, $2::integer + ${BATCH}) n`,
        [service.workspaceId, from],
      )
    await sql(em(), 'analyze suppressions')
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const { body } = await service.call('GET', `automations/${automationId}`)
    const { id: stepId } = (body as { data: { steps: [{ id: string }] } }).data.steps[0]
    const store = createMessageStore(service.context.orm.em)
    const side = (prepare: (step: Step) => Promise<Prepared>) => async () => {
      const times: number[] = []
      for (const contactId of contacts) {
        const enrollmentId = newId()
        await sql(em(), 'delete from enrollments where contact_id = $1::uuid', [contactId])
        await recordEnrollment(em(), {
          id: enrollmentId,
          automationId,
          contactId,
          concurrencyKey: '',
          dedupKey: null,
          triggerEventId: null,
          enrolledAt: new Date(),
        })
        const step = { workspaceId: service.workspaceId, automationId, enrollmentId, stepId }
        times.push(
          await timed(async () => {
            const attempt = anAttempt(await prepare(step))
            if (!(await store.claim(attempt, { status: 'SENDING' }))) throw new Error('An email was not claimed')
          }),
        )
      }
      return median(times)
    }
    return {
      ours: side(async (step) => {
        const prepared = await prepareStep({ em: em(), log: quietLog }, step)
        if (prepared.kind !== 'ready') throw new Error(`The email is ${prepared.kind}`)
        return prepared.message
      }),
      bare: side((step) => prepareWithoutSuppression(service, step)),
      close: () => service.stop(),
    }
  },
}

interface Step {
  workspaceId: string
  automationId: string
  enrollmentId: string
  stepId: string
}

/** Reads what `prepareStep` does, but only a contact's row: no suppressions, opt-outs or memberships. */
async function prepareWithoutSuppression({ context }: Service, { workspaceId, ...step }: Step): Promise<Prepared> {
  const em = () => context.orm.em.fork()
  const ref = { kind: 'step', ...step } as const
  const [found, stored, settings] = await Promise.all([
    readEmailStep(em(), step.enrollmentId, step.stepId),
    findStepMessage(em(), ref),
    readSendSettings(em(), workspaceId),
  ])
  const [contact] = await preparedSql<{
    email: string
    first_name: string | null
    metadata: Record<string, unknown>
    consent_version: number
  }>(
    em(),
    'bare-recipient',
    'select email, first_name, metadata, consent_version from contacts where id = any($1::uuid[])',
    [[found!.contactId]],
  )
  const recipient = {
    contactId: found!.contactId,
    email: contact!.email,
    firstName: contact!.first_name,
    externalId: null,
    metadata: contact!.metadata,
    createdAt: new Date(),
    timezone: 'UTC',
    consentVersion: contact!.consent_version,
    suppressions: [],
    optOutListIds: [],
    isUnconfirmed: false,
    isInAnyList: false,
  }
  return preparedFrom({ ref, intent: 'send' }, stored, contextOf(found!)!, recipient, settings!)
}
