import assert from 'node:assert/strict'
import { openContext, type Context } from '../../src/runtime/context.ts'
import { startWorker } from '../../src/runtime/worker.ts'
import { createDatabase } from '../support/database.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { startService, type Service } from '../support/service.ts'
import { workflowBundle } from '../support/workflow-bundle.ts'

describe('two instances on one Temporal', () => {
  let service: Service
  let other: Context
  before(async () => {
    service = await startService({ worker: false })
    const { url, orm } = await createDatabase()
    await orm.close(true)
    other = openContext({ ...service.context.config, DATABASE_URL: url }, quietLog)
  })
  after(async () => {
    await service.stop()
    await other.close()
  })

  it("ignore each other's workflows, even on the same task queue", async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    const contactId = await aContact(service)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    // No other worker could run it.
    const foreign = await startWorker(other, workflowBundle())
    const failure = await eventually('an attempt has failed', async () => {
      const { raw } = await handle.describe()
      return raw.pendingActivities?.[0]?.lastFailure ?? undefined
    })
    assert.equal(failure.applicationFailureInfo?.type, 'ForeignInstance')
    assert.match(failure.message ?? '', /its own namespace \(TEMPORAL_NAMESPACE\)/)
    await foreign.stop()
    await service.startWorker()
    await eventually('the email arrives', async () =>
      (await activityOf(service, contactId)).some(({ status }) => status === 'CAPTURED') ? true : undefined,
    )
    assert.deepEqual(await handle.result(), { status: 'COMPLETED' })
  }).timeout(90_000)

  it('reject a different task queue in the same namespace', async () => {
    const config = { ...service.context.config, TEMPORAL_TASK_QUEUE: 'another' }
    const moved = openContext(config, quietLog)
    await assert.rejects(startWorker(moved, workflowBundle()), /uses the task queue "test-.*TEMPORAL_NAMESPACE/)
    await moved.close()
  })
})
