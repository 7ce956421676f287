import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newCall } from '../../src/platform/call.ts'
import { createAutomation, updateAutomation } from '../../src/automations/automations.ts'
import { enrollContact } from '../../src/enrollments/enroll-contact.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { upsertContact } from '../../src/contacts/upsert-contacts.ts'
import { activityOf } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'

describe('a repeated request', () => {
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()

  it('repeats nothing that an attempt did before it died', async () => {
    const { dependencies } = service.context
    const { workspaceId } = service
    const again = <T>(run: (retried: boolean) => Promise<T>) =>
      run(false).then(async (first) => [first, await run(true)] as const)

    const made = await upsertContact(dependencies, workspaceId, { email: 'died@example.com' }, newCall())
    const input = { name: 'Died', status: 'ACTIVE', trigger: 'EVENT', triggerConfig: { eventName: 'died' } } as const
    const steps = [
      { type: 'EMAIL', subject: 'x', text: 'x' },
      { type: 'WAIT', delayMinutes: 60 },
    ] as const
    const first = await createAutomation(dependencies.em, workspaceId, { ...input, steps: [...steps] })
    const automationId = first.automation.id

    const enroll = newCall()
    const start = (retried: boolean) =>
      enrollContact(dependencies, workspaceId, automationId, { contactId: made.id }, { ...enroll, retried })
    assert.equal((await start(false)).enrolled, true)
    // Simulates that the first attempt died after starting the workflow and before inserting the row, with no worker to insert
    // it.
    await sql(em(), 'delete from enrollments where id = $1::uuid', [enroll.id])
    await sql(em(), 'update automation_counts set enrolled = 0 where automation_id = $1::uuid', [automationId])
    assert.equal((await start(true)).enrolled, true)
    assert.equal((await start(true)).enrolled, true)
    // Even if the automation was paused in the meantime.
    await updateAutomation(dependencies.em, workspaceId, automationId, { status: 'PAUSED' })
    assert.equal((await start(true)).enrolled, true)
    await updateAutomation(dependencies.em, workspaceId, automationId, { status: 'ACTIVE' })
    const other = await enrollContact(dependencies, workspaceId, automationId, { contactId: made.id }, newCall())
    assert.equal(other.enrolled, false)

    const event = newCall()
    const [fired, refired] = await again((retried) =>
      fireEvent(dependencies, workspaceId, made.id, { name: 'died' }, { ...event, retried }),
    )
    assert.deepEqual(refired, fired)
    const events = await sql(em(), 'select 1 from trigger_events where id = $1::uuid', [event.id])
    assert.equal(events.length, 1)

    await service.startWorker()
    await eventually('the email is captured', async () =>
      (await activityOf(service, made.id)).find(({ status }) => status === 'CAPTURED'),
    )
    assert.equal((await activityOf(service, made.id)).length, 1)
    const { body } = await service.call('GET', 'automations')
    const summary = body.data.find((item: { id: string }) => item.id === automationId)
    assert.equal(summary.enrolledCount, 1)
  })
})
