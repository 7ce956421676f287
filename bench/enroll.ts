import { SEARCH_ATTRIBUTES } from '../src/temporal/search-attribute-keys.ts'
import { newId } from '../src/platform/ids.ts'
import { startApiProcess } from '../test/support/processes.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { startService } from './service.ts'
import type { Benchmark } from './compare.ts'
import { bareInput, makeContacts, post, rateOf } from './load.ts'

const CALLS = 300
const CONCURRENCY = 20

/** Enrolling over HTTP, with key, limit and database ÷ starting the same workflow with Temporal's client. */
export const enroll: Benchmark = {
  name: 'enroll',
  title: 'POST /enroll requests/s ÷ client.workflow.start calls/s of the same workflow, 20 at a time',
  goal: { atLeast: 0.9 },
  unit: 'starts/s',
  async prepare() {
    // No worker runs: only the start is measured.
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const { config, temporal } = service.context
    const fresh = () => anAutomation(service, { steps: [wait(60), EMAIL] })
    const contacts = await makeContacts(service, CALLS, 'enroll')
    return {
      async ours() {
        const automationId = await fresh()
        return rateOf(contacts, CONCURRENCY, (contactId) =>
          post(api.baseUrl, service.key, `automations/${automationId}/enroll`, { contactId }),
        )
      },
      async bare() {
        const automationId = await fresh()
        return rateOf(contacts, CONCURRENCY, (contactId) =>
          temporal.workflow.start('enrollment', {
            taskQueue: config.TEMPORAL_TASK_QUEUE,
            workflowId: `enrollment:${automationId}:${contactId}`,
            workflowIdConflictPolicy: 'FAIL',
            staticSummary: 'Bare',
            typedSearchAttributes: [
              { key: SEARCH_ATTRIBUTES.workspace, value: service.workspaceId },
              { key: SEARCH_ATTRIBUTES.automation, value: automationId },
              { key: SEARCH_ATTRIBUTES.contact, value: contactId },
              { key: SEARCH_ATTRIBUTES.status, value: 'ACTIVE' },
            ],
            args: [bareInput({ enrollmentId: newId(), workspaceId: service.workspaceId, automationId, contactId })],
          }),
        )
      },
      async close() {
        await api.kill()
        await service.stop()
      },
    }
  },
}
