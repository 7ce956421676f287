import { upsertContact } from '../../src/contacts/upsert-contacts.ts'
import { eraseContact } from '../../src/contacts/erase-contact.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { ERASURE } from '../../src/runtime/erasure.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../src/webhooks/endpoints.ts'
import type { Setting } from './setting.ts'
import type { WebhookStory } from './check-webhooks.ts'
import { ReceiverModel } from './webhook-model.ts'
import { WEBHOOK_SECRETS, type World } from './world.ts'

/** Number of changes of each contact. */
const CHANGES = 3

/** Numbers of steps after which a worker is stopped: the events of two contacts take about 100. */
const STOPPING_STEPS = [10, 20, 30, 40, 60, 80]

/** Creates a webhook, and contacts with functions that change them. */
async function aWebhook(world: World, names: readonly string[]) {
  const { workspaceId } = world.ground
  const contacts: { name: string; contactId: string }[] = []
  for (const name of names) contacts.push({ name, contactId: await world.contact(name) })
  const given = { em: world.em, secrets: WEBHOOK_SECRETS, webhookAllowedHosts: [] }
  const input = { url: 'https://example.com/hook', events: ['*' as const] }
  const { endpoint } = await createEndpoint(given, workspaceId, input, newId())
  world.receiver = new ReceiverModel(world.scheduler)
  const facts: WebhookStory['facts'] = []
  const change = async ({ name, contactId }: (typeof contacts)[number]) => {
    // A change at the time of the creation is a part of it.
    await world.scheduler.pause(1)
    for (let n = 1; n <= CHANGES; n += 1) {
      const input = { email: `${name}@example.com`, firstName: `${name} ${n}` }
      await world.client('change', (dependencies) => upsertContact(dependencies, workspaceId, input, newCall()))
      facts.push({ contactId, firstName: input.firstName })
    }
  }
  return { contacts, endpointId: endpoint.id, facts, change }
}

const gone = (error: Error) => /not found/i.test(error.message)

/** Requests after which no event is sent: of the first contact, or of all. */
const STOPS: Record<string, (world: World, endpointId: string, contactId: string) => Promise<{ contactId?: string }>> =
  {
    async erased(world, _endpointId, contactId) {
      const { workspaceId } = world.ground
      const erase = (dependencies: Parameters<typeof eraseContact>[0]) =>
        eraseContact(dependencies, ERASURE, workspaceId, contactId, newCall())
      await world.client('erase', erase, gone)
      return { contactId }
    },
    async deleted(world, endpointId) {
      const { workspaceId } = world.ground
      await world.client(
        'delete',
        ({ em }) => em.fork().transactional((unit) => deleteEndpoint(unit, workspaceId, endpointId)),
        gone,
      )
      return {}
    },
    async disabled(world, endpointId) {
      const { workspaceId } = world.ground
      await world.client('disable', ({ em }) =>
        updateEndpoint({ em, secrets: WEBHOOK_SECRETS, webhookAllowedHosts: [] }, workspaceId, endpointId, {
          status: 'DISABLED',
        }),
      )
      return {}
    },
  }

const LEASE = /^SQL with taken as/
const CHECK = /^SQL select event_position, endpoint_id/

/** Worlds of webhooks. */
export const WEBHOOK_WORLDS = {
  webhooks: {
    workers: 2,
    async run(world) {
      const { contacts, facts, change } = await aWebhook(world, ['ada', 'bob'])
      world.receiver!.failing = world.scheduler.pick([0, 0, 1, 3])
      const hasStop = world.scheduler.pick([false, false, true])
      const stopping = async () => {
        if (!hasStop) return
        await world.scheduler.steps(world.scheduler.pick(STOPPING_STEPS))
        const hold = world.scheduler.hold(/^webhook /)
        const action = await Promise.race([hold.reached, world.scheduler.pause(20_000)])
        if (action) await world.stopWebhooks(action.process)
        hold.release()
      }
      return {
        done: Promise.all([...contacts.map(change), stopping()]),
        expected: [],
        never: [],
        webhooks: { facts, hasStop },
      }
    },
  },
  'webhooks-stopped': {
    workers: 2,
    async run(world) {
      const { scheduler } = world
      const { contacts, endpointId, facts, change } = await aWebhook(world, ['ada', 'bob'])
      const stop = scheduler.pick(Object.values(STOPS))
      let stopped: { at: number; contactId?: string } | undefined
      /** Stops the worker that executes a statement, after the statement or the commit of its transaction. */
      const napAfter = async (statement: RegExp, last: RegExp) => {
        const hold = scheduler.hold(statement)
        const action = await Promise.race([hold.reached, scheduler.pause(60_000)])
        if (action) scheduler.strike(action, last, 'nap-after')
        hold.release()
        await scheduler.pause(1)
      }
      const isChecked = scheduler.pick([false, true])
      const stopping = async () => {
        await napAfter(LEASE, /^SQL commit/)
        if (isChecked) await napAfter(CHECK, CHECK)
        const of = await stop(world, endpointId, contacts[0]!.contactId)
        stopped = { at: scheduler.now, ...of }
      }
      return {
        done: Promise.all([...contacts.map(change), stopping()]),
        expected: [],
        never: [],
        webhooks: { facts, stopped: () => stopped },
      }
    },
  },
} satisfies Record<string, Setting>
