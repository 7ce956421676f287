import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { activityOf, anAutomation, EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'

describe('a clock of Postgres that was set back', () => {
  it('delays neither deliveries nor expired claims until it reaches the old time again', async () => {
    const service = await startService({ worker: false })
    const em = service.context.orm.em.fork()
    const claimed = await anAutomation(service)
    await anAutomation(service, { trigger: 'SIGNUP', steps: [EMAIL] })
    await service.call('POST', 'contacts/bulk', { contacts: [{ email: 'bulk@example.com' }] })
    const { body } = await service.call('GET', 'contacts')
    const [{ id: contactId }] = body.data as [{ id: string }]
    // Simulates that all rows were written while the clock was an hour ahead.
    const due = await sql(em, `update outbox set due_at = due_at + interval '1 hour' where lane = 'bulk' returning id`)
    assert.equal(due.length, 1)
    await sql(
      em,
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, occurrence, recipient, status,
         claim, claimed_at, lease_until, attempts, subject)
       select $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::uuid, 1, 'a@example.com', 'SENDING',
         $7::uuid, now() + interval '1 hour', now() + interval '61 minutes', 0, 'x'`,
      [newId(), service.workspaceId, contactId, claimed, newId(), newId(), newId()],
    )
    await service.startWorker()
    await eventually('it is started', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'CAPTURED'),
    )
    const [row] = await sql<{ seconds: number }>(
      em,
      `select extract(epoch from lease_until - now())::float8 as seconds from messages where automation_id = $1::uuid`,
      [claimed],
    )
    assert.ok(row!.seconds <= 30, `${row!.seconds} s`)
    await service.stop()
  })
})
