import { CLAIM, claimMessage } from '../src/messages/claim-queries.ts'
import { DRAFT, draftMessage } from '../src/messages/draft-queries.ts'
import { recordEnrollment } from '../src/enrollments/queries.ts'
import { newId } from '../src/platform/ids.ts'
import { preparedSql, sql } from '../src/platform/db/sql.ts'
import { aClaim } from '../test/support/a-claim.ts'
import { anAutomation, EMAIL } from '../test/support/factories.ts'
import { startService } from './service.ts'
import { median, timed, type Benchmark } from './compare.ts'
import { makeContacts } from './load.ts'

const CONTACTS = 200
const SUPPRESSED = 200_000
const BATCH = 10_000

/** Drafting and claiming an email as it is ÷ by the same statements without what keeps it from whoever wants none. */
export const claiming: Benchmark = {
  name: 'claim',
  title: 'drafting and claiming an email ÷ the same without suppression, beside 200,000 suppressed addresses',
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
    const withoutClaim = CLAIM.replace(' and contact.consents = $19::integer', ' and $19::integer is not null')
    const withoutDraft = DRAFT.replace(
      /coalesce\(\s*\(\s*select reason from \([\s\S]*?\) as suppressed_by/,
      'null::text as suppressed_by',
    )
    if (withoutClaim === CLAIM || withoutDraft === DRAFT)
      throw new Error('The statements are others: say here what is left out')
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const { body } = await service.call('GET', `automations/${automationId}`)
    const { id: stepId } = (body as { data: { steps: [{ id: string }] } }).data.steps[0]
    const side =
      (draft: (key: Key) => Promise<unknown>, claim: (key: Key, recipient: string) => Promise<unknown>) => async () => {
        const times: number[] = []
        for (const [n, contactId] of contacts.entries()) {
          const enrollmentId = newId()
          await sql(em(), 'delete from enrollments where contact_id = $1::uuid', [contactId])
          await recordEnrollment(em(), {
            id: enrollmentId,
            automationId,
            contactId,
            cause: null,
            triggerEventId: null,
            enrolledAt: new Date(),
          })
          const key = { enrollmentId, stepId, visit: 0 }
          times.push(
            await timed(async () => {
              await draft(key)
              if (!(await claim(key, recipients.get(contactId) ?? `claim-${n}@example.com`)))
                throw new Error('An email was not claimed')
            }),
          )
        }
        return median(times)
      }
    const rows = await sql<{ id: string; email: string }>(em(), 'select id, email from contacts')
    const recipients = new Map(rows.map(({ id, email }) => [id, email]))
    interface Key {
      enrollmentId: string
      stepId: string
      visit: number
    }
    const header = '<one@example.com>'
    return {
      ours: side(
        (key) => draftMessage(em(), key, automationId),
        (key, recipient) => claimMessage(em(), aClaim(key, automationId, recipient)),
      ),
      bare: side(
        (key) => preparedSql(em(), 'bare-draft', withoutDraft, [key.enrollmentId, key.stepId, key.visit, automationId]),
        async (key, recipient) => {
          const [row] = await preparedSql<{ id: string }>(em(), 'bare-claim', withoutClaim, [
            ...[
              key.enrollmentId,
              key.stepId,
              key.visit,
              automationId,
              newId(),
              newId(),
              0,
              'SENDING',
              30,
              null,
              header,
            ],
            ...[null, null, null, null, 0, recipient, null, 0],
          ])
          return row?.id
        },
      ),
      close: () => service.stop(),
    }
  },
}
