import pMap from 'p-map'
import { newId } from '../src/platform/ids.ts'
import { preparedSql } from '../src/platform/db/sql.ts'
import { anAutomation } from '../test/support/factories.ts'
import { startBareWorker } from './bare/worker.ts'
import { timed, type Benchmark } from './compare.ts'
import { makeContacts } from './load.ts'
import { startService } from './service.ts'

const CONTACTS = 12
const CONCURRENCY = 4
const CONDITIONS = 25

/** A step that decides a condition on its contact ÷ an activity of a bare workflow that reads the contact by its ID. */
const deciding = (name: string, kind: string, bareWorkflow: string): Benchmark => ({
  name,
  title: `a condition on a contact, one of ${CONDITIONS} in a row ÷ ${kind} that does one indexed read`,
  goal: { atMost: 1.3 },
  unit: 'ms',
  async prepare() {
    const service = await startService()
    const { config, temporal, orm } = service.context
    const stopWorker = await startBareWorker(config, 'bare-condition', {
      async isPro(contactId) {
        const read = 'select metadata from contacts where id = $1::uuid'
        const [row] = await preparedSql<{ metadata: { plan?: string } }>(orm.em.fork(), 'bare-read', read, [contactId])
        return row!.metadata.plan === 'pro'
      },
    })
    const contacts = await makeContacts(service, CONTACTS, 'condition')
    const branch = { name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }
    const steps = Array.from({ length: CONDITIONS }, () => ({ type: 'CONDITION', branches: [branch], else: [] }))
    const each = async (run: (contactId: string) => Promise<unknown>) =>
      (await timed(() => pMap(contacts, run, { concurrency: CONCURRENCY }))) / (CONTACTS * CONDITIONS)
    return {
      async ours() {
        const automationId = await anAutomation(service, { steps })
        return each(async (contactId) => {
          await service.call('POST', `automations/${automationId}/enroll`, { contactId })
          await temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`).result()
        })
      },
      bare: () =>
        each((contactId) =>
          temporal.workflow.execute(bareWorkflow, {
            taskQueue: 'bare-condition',
            workflowId: newId(),
            args: [contactId, CONDITIONS],
          }),
        ),
      async close() {
        await stopWorker()
        await service.stop()
      },
    }
  },
})

export const condition = deciding('condition', 'an activity', 'bareConditions')
export const conditionLocal = deciding('condition/local', 'a local activity', 'bareLocalConditions')
