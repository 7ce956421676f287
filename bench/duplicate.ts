import { startApiProcess } from '../test/support/processes.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { startService } from './service.ts'
import { median, timed, type Benchmark } from './compare.ts'
import { makeContacts, post } from './load.ts'

const CALLS = 150

/** Enrolling a contact who is already in the automation ÷ the first time, one request after the other. */
export const duplicate: Benchmark = {
  name: 'duplicate',
  title: 'p50 of a duplicate enroll ÷ p50 of a first one',
  goal: { atMost: 0.5 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const contacts = await makeContacts(service, CALLS, 'duplicate')
    const times = async (automationId: string) => {
      const all: number[] = []
      for (const contactId of contacts) {
        all.push(await timed(() => post(api.baseUrl, service.key, `automations/${automationId}/enroll`, { contactId })))
      }
      return median(all)
    }
    const fresh = () => anAutomation(service, { steps: [wait(60), EMAIL] })
    const known = await fresh()
    await times(known)
    return {
      ours: () => times(known),
      bare: async () => times(await fresh()),
      async close() {
        await api.kill()
        await service.stop()
      },
    }
  },
}
