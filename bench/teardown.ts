import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { makeContacts, post } from './load.ts'
import { countEnrolled, sleepers, SLEEPERS_IN_WORDS } from './sleepers.ts'

const CALLS = 100
const PATIENCE_MS = 30 * 60_000

/**
 * The API while an automation with 20,000 waiting enrollments is deleted ÷ before. It comes last, because it ends them. It also
 * prints the duration of the DELETE and of the whole teardown.
 */
export const teardown: Benchmark = {
  name: 'teardown',
  title: `p95 of enroll requests while an automation with ${SLEEPERS_IN_WORDS} waiting enrollments is deleted ÷ before`,
  goal: { atMost: 2 },
  unit: 'ms',
  async prepare(note) {
    const { service, api, automationId } = await sleepers()
    let batches = 0
    const calls = async () => {
      const contacts = await makeContacts(service, CALLS, `teardown-${(batches += 1)}`)
      const other = await anAutomation(service, { steps: [wait(60), EMAIL] })
      const times: number[] = []
      for (const contactId of contacts) {
        times.push(await timed(() => post(api.baseUrl, service.key, `automations/${other}/enroll`, { contactId })))
      }
      return percentile(times, 0.95)
    }
    const left = () => countEnrolled(service, automationId)
    await calls()
    const before: number[] = []
    for (let n = 0; n < 5; n += 1) before.push(await calls())

    const few = await anAutomation(service, { steps: [EMAIL] })
    const remove = (id: string) => timed(() => service.call('DELETE', `automations/${id}`))
    const [withNone, withAll] = [await remove(few), await remove(automationId)]
    const started = performance.now()
    note(`DELETE with ${SLEEPERS_IN_WORDS} enrollments ${withAll.toFixed(1)} ms, with none ${withNone.toFixed(1)} ms.`)
    return {
      async pair(round) {
        const during = await calls()
        if ((await left()) === 0) throw new Error('The teardown was over before it was measured')
        return { ours: during, bare: before[round] ?? NaN }
      },
      async close() {
        await eventually('all are gone', async () => ((await left()) === 0 ? true : undefined), PATIENCE_MS)
        note(`All were deleted ${((performance.now() - started) / 1_000).toFixed(0)} s after the response.`)
      },
    }
  },
}
