import { aContact, addressOf } from '../test/support/factories.ts'
import { startService } from './service.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get, makeContacts } from './load.ts'

const REQUESTS = 400
/** Number of other contacts. */
const OTHERS = 20_000

/** A request for a contact by its address ÷ by its ID. */
export const byEmail: Benchmark = {
  name: 'by-email',
  title: 'p50 of GET /contacts/email:… ÷ of GET /contacts/{id}',
  goal: { atMost: 1.1 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ worker: false })
    await makeContacts(service, OTHERS, 'other')
    const id = await aContact(service)
    const names = [`email:${await addressOf(service, id)}`, id]
    const baseUrl = `http://127.0.0.1:${service.port}/api/v1`
    return {
      // Alternates the two sides, so that other load on the machine affects both.
      async pair() {
        const times: [number[], number[]] = [[], []]
        for (let n = 0; n < REQUESTS; n += 1)
          for (const [side, name] of names.entries()) {
            times[side]!.push(await timed(() => get(baseUrl, service.key, `contacts/${name}`)))
          }
        return { ours: percentile(times[0], 0.5), bare: percentile(times[1], 0.5) }
      },
      close: () => service.stop(),
    }
  },
}
