import { execFileSync } from 'node:child_process'
import { anAutomation, EMAIL } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startSecondTemporal } from '../test/support/servers.ts'
import { percentile, timed, type Benchmark, type Measure } from './compare.ts'
import { get, makeContacts, post } from './load.ts'
import { sleepers, SLEEPERS_IN_WORDS, startSleepers, type Sleepers } from './sleepers.ts'

const CALLS = 100
const SEQUENCES = 100

const onBoth = (name: string, title: string, unit: string, measureOf: (side: Sleepers) => Measure): Benchmark => ({
  name,
  title,
  goal: { atMost: 1.2 },
  unit,
  async prepare() {
    const full = await sleepers()
    // A separate Temporal, so that the cost of 20,000 timers there is measured, too.
    const temporal = await startSecondTemporal()
    const empty = await startSleepers(0, { TEMPORAL_ADDRESS: temporal.address })
    return {
      ours: measureOf(full),
      bare: measureOf(empty),
      async close() {
        await empty.stop()
        await temporal.stop()
      },
    }
  },
})

let batches = 0

/** Reads and enrollments through the API, one after the other. */
export const sleeping = onBoth(
  'sleeping',
  `p95 of the API's responses with ${SLEEPERS_IN_WORDS} waiting enrollments ÷ with none`,
  'ms',
  ({ service, api }) =>
    async () => {
      const contacts = await makeContacts(service, CALLS, `sleeping-${(batches += 1)}`)
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      const times: number[] = []
      for (const contactId of contacts) {
        times.push(
          await timed(() => post(api.baseUrl, service.key, `automations/${automationId}/enroll`, { contactId })),
          await timed(() => get(api.baseUrl, service.key, `contacts/${contactId}`)),
          await timed(() => get(api.baseUrl, service.key, 'automations')),
        )
      }
      return percentile(times, 0.95)
    },
)

/**
 * A worker that is started while enrollments wait ÷ one without them, after the same enrollments. It is not the worker that
 * started them, whose heap has grown from that work.
 */
export const sleepingMemory = onBoth(
  'sleeping/memory',
  `memory of a worker with ${SLEEPERS_IN_WORDS} waiting enrollments ÷ with none`,
  'MB',
  ({ service, restartWorker }) =>
    async () => {
      const { pid } = await restartWorker()
      const contacts = await makeContacts(service, SEQUENCES, `memory-${(batches += 1)}`)
      const automationId = await anAutomation(service, { steps: [EMAIL] })
      for (const contactId of contacts) {
        await service.call('POST', `automations/${automationId}/enroll`, { contactId })
      }
      await eventually(
        'the enrollments are completed',
        async () => {
          // The newest one comes first.
          const { body } = await service.call('GET', 'automations?limit=1')
          return body.data[0].completedCount === SEQUENCES ? true : undefined
        },
        60_000,
      )
      return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
    },
)
