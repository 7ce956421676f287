import assert from 'node:assert/strict'
import pMap from 'p-map'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'

const MANY = 400

describe('workspace fairness', () => {
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
  })
  after(() => service.stop())

  it('starts an enrollment before hundreds of earlier ones of another workspace', async () => {
    const { em } = service.context.orm
    const automationId = await anAutomation(service)
    const contacts = Array.from({ length: MANY }, (_, n) => ({ email: `many-${n}@example.com` }))
    await service.call('POST', 'contacts/bulk', { contacts })
    const ids = await sql<{ id: string }>(em.fork(), 'select id from contacts')
    const enrolledAt = new Date().toISOString()
    const of = {
      workspaceId: service.workspaceId,
      automationId,
      enrolledAt,
      clockAhead: 0,
      dedupKey: null,
      triggerEventId: null,
    }
    // Without a request each, which would take longer. The workflows record the enrollments.
    await pMap(
      ids,
      ({ id: contactId }) => {
        const input = { ...of, enrollmentId: newId(), contactId }
        return service.context.dependencies.enrollments.enter({ automationName: 'Many', requestId: null, input })
      },
      { concurrency: 20 },
    )

    const other = await createWorkspace(em, { name: 'Other', mode: 'live' })
    const its = { ...service, key: await service.newKey({ workspaceId: other.id }) }
    its.call = (method, path, body) => service.call(method, path, body, { key: its.key })
    await enroll(its, await anAutomation(its), await aContact(its))

    await service.startWorker()
    const before = await eventually(
      'its mail',
      async () => {
        const [row] = await sql<{ there: boolean; others: number }>(
          em.fork(),
          `select bool_or(workspace_id = $1::uuid) as there, count(*)::integer - 1 as others from messages`,
          [other.id],
        )
        return row?.there ? row.others : undefined
      },
      60_000,
    )
    assert.ok(before < MANY / 2, `${before} came before it`)
  })
})
