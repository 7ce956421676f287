import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { activityOf, aContact, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

const MANY = 4_000
const REAL = 20

/** Most enrollments are rows without a workflow: as much work for the teardown, but faster to create. */
const MAKE_MANY = `
with made as (
  insert into contacts (id, workspace_id, email, email_key)
  select gen_random_uuid(), $1::uuid, email, email from (select 'many-' || n || '-' || $2 || '@example.com' as email
    from generate_series(1, $3::integer) n) as addresses
  returning id
)
insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at)
select gen_random_uuid(), $1::uuid, $2::uuid, made.id, automation.version, 'ACTIVE', now()
from made cross join automations automation where automation.id = $2::uuid`

describe('an automation with thousands of running enrollments', function () {
  this.timeout(120_000)
  let service: Service
  let automationId: string
  const real: string[] = []

  const query = async (text: string, parameters: unknown[] = [automationId]) =>
    (await sql<{ count: number }>(service.context.orm.em.fork(), text, parameters))[0]?.count ?? 0
  const left = () => query('select count(*)::integer as count from enrollments where automation_id = $1::uuid')
  const running = async (contactId: string) =>
    (await service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`).describe()).status
      .name

  before(async () => {
    service = await startService()
    automationId = await anAutomation(service, { steps: [wait(1440), EMAIL] })
    for (let n = 0; n < REAL; n += 1) {
      const contactId = await aContact(service)
      real.push(contactId)
      await enroll(service, automationId, contactId)
    }
    await sql(service.context.orm.em.fork(), MAKE_MANY, [service.workspaceId, automationId, MANY])
  })
  after(() => service.stop())

  it('is paused and resumed within the request, regardless of their number', async () => {
    for (const status of ['PAUSED', 'ACTIVE']) {
      const answer = await service.call('PATCH', `automations/${automationId}`, { status })
      assert.deepEqual([answer.status, answer.body.data.status], [200, status])
    }
    assert.equal(await left(), MANY + REAL)
  })

  it('is deleted immediately; its workflows end in pages, even if a worker dies, and without delaying others', async () => {
    assert.equal((await service.call('DELETE', `automations/${automationId}`)).status, 200)
    assert.ok((await left()) > MANY / 2, 'they were deleted within the request')
    assert.equal((await service.call('GET', `automations/${automationId}`)).refused, '404 automation_not_found')
    const contactId = await aContact(service)
    assert.equal((await enroll(service, automationId, contactId)).refused, '404 automation_not_active')

    // Another automation's enrollment completes in the meantime.
    const other = await anAutomation(service, { triggerConfig: { eventName: 'other' } })
    await service.call('POST', `contacts/${contactId}/events`, { name: 'other' })
    await eventually('the other mail', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'CAPTURED'),
    )
    assert.ok((await left()) > 0, 'the teardown was over before the other mail')

    // A worker that dies in the middle leaves the rest to the next one.
    await service.stopWorkers()
    const before = await left()
    assert.ok(before > 0)
    await service.startWorker()
    await eventually('all are deleted', async () => ((await left()) === 0 ? true : undefined), 60_000)
    await eventually(
      'the automation is deleted',
      async () =>
        (await query('select count(*)::integer as count from automations where id = $1::uuid')) ? undefined : true,
      30_000,
    )
    for (const each of real) {
      await eventually('the workflow has ended', async () => ((await running(each)) === 'CANCELLED' ? true : undefined))
    }
    assert.equal((await service.call('GET', `automations/${other}`)).status, 200)
  })

  it('is deleted in pages with the content of its emails, no matter how much there is', async () => {
    const em = service.context.orm.em.fork()
    const id = await anAutomation(service, { steps: [wait(1440), EMAIL] })
    // Replaced versions keep their content.
    await sql(
      em,
      `insert into email_contents (automation_id, hash, subject, text)
       select $1::uuid, 'hash ' || n, 'A version', 'text' from generate_series(1, 250) n`,
      [id],
    )
    assert.equal((await service.call('DELETE', `automations/${id}`)).status, 200)
    await eventually('all of it is deleted', async () =>
      (await query('select count(*)::integer as count from email_contents where automation_id = $1::uuid', [id])) ===
        0 && (await query('select count(*)::integer as count from automations where id = $1::uuid', [id])) === 0
        ? true
        : undefined,
    )
  })
})
