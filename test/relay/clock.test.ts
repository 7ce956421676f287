import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { bringBack } from '../../src/relay/bring-back.ts'
import { createDatabase } from '../support/database.ts'
import { activityOf, anAutomation, EMAIL } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'

describe('a clock of Postgres that was set back', () => {
  it('keeps nothing waiting until it comes there again: neither deliveries nor the claims of the dead', async () => {
    const service = await startService({ worker: false })
    const em = service.context.orm.em.fork()
    const claimed = await anAutomation(service)
    await anAutomation(service, { trigger: 'SIGNUP', steps: [EMAIL] })
    await service.call('POST', 'contacts/bulk', { contacts: [{ email: 'bulk@example.com' }] })
    const { body } = await service.call('GET', 'contacts')
    const [{ id: contactId }] = body.data as [{ id: string }]
    // As if all of this had been written while the clock was an hour ahead.
    const due = await sql(em, `update outbox set due_at = due_at + interval '1 hour' where lane = 'bulk' returning id`)
    assert.equal(due.length, 1)
    await sql(
      em,
      `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, recipient, status,
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

  it('keeps nobody from reconciling until it comes there again, and makes nothing lost less', async () => {
    const { orm } = await createDatabase()
    const em = orm.em.fork()
    await sql(
      em,
      `update installation set lost_until = now() + interval '10 minutes', lost_before = now() + interval '1 hour',
         reconciling_until = now() + interval '1 hour'`,
    )
    await bringBack(em)
    // What is lost stays so: it may be this clock that is wrong, and for a moment.
    const kept = `select from installation where least(lost_until, lost_before) > now() and reconciling_until is null`
    assert.equal((await sql(em, kept)).length, 1)
    await sql(em, `update installation set reconciling_until = now() + interval '1 minute'`)
    await bringBack(em)
    assert.equal((await sql(em, 'select from installation where reconciling_until is not null')).length, 1)
    await orm.close(true)
  })
})
