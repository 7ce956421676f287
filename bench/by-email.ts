import { aContact, addressOf } from '../test/support/factories.ts'
import { startService } from './service.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { get, makeContacts } from './load.ts'

const REQUESTS = 400
/** Among so many others it is looked for. */
const OTHERS = 20_000

/** A call about a contact by its address ÷ by its id. */
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
      // By turns: what else the machine does meets both alike.
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
