import { createWorkspace } from '../src/workspaces/create-workspace.ts'
import { SCOPES } from '../src/http/scopes.ts'
import { createApiKey } from '../src/workspaces/create-api-key.ts'
import { EMAIL, wait } from '../test/support/factories.ts'
import { percentile, timed, type Benchmark } from './compare.ts'
import { post } from './load.ts'
import { sleepers, SLEEPERS_IN_WORDS } from './sleepers.ts'

const EVENTS = 100
const FEW = 10

/** Firing an event in a workspace with many running enrollments ÷ in one with few, on the same service. */
export const listeners: Benchmark = {
  name: 'listeners',
  title: `p95 of firing an event that starts an enrollment, in a workspace with ${SLEEPERS_IN_WORDS} running ÷ with 10`,
  goal: { atMost: 1.2 },
  unit: 'ms',
  async prepare() {
    const { service, api } = await sleepers()
    const { em } = service.context.orm
    const few = await createWorkspace(em, { name: 'Few', mode: 'live' })
    const fewKey = { workspaceId: few.id, name: 'bench', scopes: SCOPES, rateLimit: 1_000_000 }
    const sides = { many: service.key, few: (await createApiKey(em, fewKey)).key }
    const ask = async (key: string, path: string, body: object, expected: number) =>
      ((await post(api.baseUrl, key, path, body, expected)) as { data: { id: string } }).data.id
    let contacts = 0
    const newContact = (key: string) => ask(key, 'contacts', { email: `listener-${(contacts += 1)}@example.com` }, 201)
    for (const key of Object.values(sides)) {
      const fields = { name: 'Listens', status: 'ACTIVE', trigger: 'EVENT', triggerConfig: { eventName: 'bench' } }
      await ask(key, 'automations', { ...fields, steps: [wait(60), EMAIL] }, 201)
    }
    for (let n = 0; n < FEW; n += 1) {
      await post(api.baseUrl, sides.few, `contacts/${await newContact(sides.few)}/events`, { name: 'bench' })
    }
    const fire = async (key: string) => {
      const ids: string[] = []
      for (let n = 0; n < EVENTS; n += 1) ids.push(await newContact(key))
      const times: number[] = []
      for (const id of ids) {
        times.push(await timed(() => post(api.baseUrl, key, `contacts/${id}/events`, { name: 'bench' })))
      }
      return percentile(times, 0.95)
    }
    return { ours: () => fire(sides.many), bare: () => fire(sides.few), close: () => Promise.resolve() }
  },
}
