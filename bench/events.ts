import { newId } from '../src/platform/ids.ts'
import { startApiProcess } from '../test/support/processes.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { startService } from './service.ts'
import { enterSignal } from '../src/automation-engine/contract.ts'
import type { Benchmark } from './compare.ts'
import { bareInput, makeContacts, post, rateOf } from './load.ts'

const AUTOMATIONS = 10
const EVENTS = 40
const CONCURRENCY = 4

/** Deliveries of events that trigger ten automations ÷ signal-with-start with Temporal's client, with the same concurrency. */
export const events: Benchmark = {
  name: 'events',
  title: 'event deliveries/s with 10 matching automations ÷ raw signalWithStart calls/s',
  goal: { atLeast: 0.95 },
  unit: 'deliveries/s',
  async prepare() {
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const { config, temporal } = service.context
    const automations: string[] = []
    for (let n = 0; n < AUTOMATIONS; n += 1) {
      automations.push(await anAutomation(service, { triggerConfig: { eventName: 'bench' }, steps: [wait(60), EMAIL] }))
    }
    let batches = 0
    const fresh = () => makeContacts(service, EVENTS, `events-${(batches += 1)}`)
    return {
      async ours() {
        const contacts = await fresh()
        const rate = await rateOf(contacts, CONCURRENCY, (contactId) =>
          post(api.baseUrl, service.key, `contacts/${contactId}/events`, { name: 'bench' }),
        )
        return rate * AUTOMATIONS
      },
      async bare() {
        const contacts = await fresh()
        const pairs = contacts.flatMap((contactId) => automations.map((automationId) => ({ contactId, automationId })))
        return rateOf(pairs, CONCURRENCY * AUTOMATIONS, ({ contactId, automationId }) => {
          const enrollmentId = newId()
          return temporal.workflow.signalWithStart('enrollment', {
            taskQueue: config.TEMPORAL_TASK_QUEUE,
            workflowId: `enrollment:${automationId}:${contactId}`,
            signal: enterSignal,
            signalArgs: [{ enrollmentId, dedupKey: null, triggerEventId: null }],
            args: [bareInput({ enrollmentId, workspaceId: service.workspaceId, automationId, contactId })],
          })
        })
      },
      async close() {
        await api.kill()
        await service.stop()
      },
    }
  },
}
