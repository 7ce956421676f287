import type { Product } from '../support/busy-folder/product.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Random } from '../faults/random.ts'

const MINUTE_MS = 60_000

/** Contacts of a campaign. At the pace of the mail server, a campaign takes several backups. */
const RECIPIENTS = 600

const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
const onEvent = (eventName: string) => ({ trigger: 'EVENT', triggerConfig: { eventName } })

/** A contact whose email is due at a time, or when an event arrives. */
export interface Expected {
  email: string
  contactId: string
  subject: string
}

/** An instance in use, with automations, campaigns and scheduled emails in every state that a backup can find. */
export interface Life {
  key: string
  /** Contacts who wait for an event that has not been sent. */
  waiting: Expected[]
  /** Emails that are due at a time, and when the request for them was answered, in milliseconds since 1970. */
  timed: (Expected & { at: number; answeredAt: number })[]
}

/** Creates an API key of the first workspace, without a rate limit that matters here. */
export async function createKey(product: Product): Promise<string> {
  const [first] = JSON.parse(await product.cli('workspace', 'list', '--json')) as [{ id: string }]
  const made = await product.cli(
    ...['key', 'create', '--workspace', first.id, '--name', 'Tests', '--scopes', 'all'],
    ...['--rate-limit', '1000000', '--json'],
  )
  return (JSON.parse(made) as { key: string }).key
}

/** Sets up the workspace. @returns also a function that lets one more contact into everything */
export async function beginLife(product: Product, random: Random): Promise<{ life: Life; step: () => Promise<void> }> {
  const life: Life = { key: await createKey(product), waiting: [], timed: [] }
  product.use(life.key)
  const automation = async (name: string, fields: object): Promise<string> => {
    const made = (await product.call('POST', 'automations', {
      name,
      status: 'ACTIVE',
      ...onEvent(name),
      ...fields,
    })) as {
      data: { id: string }
    }
    return made.data.id
  }
  await automation('plain', { steps: ['plain 1', 'plain 2', 'plain 3'].map(email) })
  await automation('keyed', {
    entry: { concurrency: { key: 'event.data.order' } },
    steps: [
      email('order {{ event.data.order }}'),
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'paid',
        timeoutMinutes: 1_440,
        received: [email('paid {{ event.data.order }}')],
      },
    ],
  })
  await automation('awaits', {
    steps: [
      email('awaits 1'),
      { type: 'WAIT_FOR_EVENT', eventName: 'go', timeoutMinutes: 1_440, received: [email('awaits 2')] },
    ],
  })
  await automation('until', {
    steps: [{ type: 'WAIT_UNTIL', until: { field: 'contact.metadata.at' } }, email('until 1')],
  })
  const isPro = { metadata: 'plan', is: 'equal', value: 'pro' }
  await automation('branches', {
    steps: [
      { type: 'UPDATE_CONTACT', addTags: ['branched'] },
      {
        type: 'CONDITION',
        branches: [{ name: 'Pro', if: isPro, steps: [email('branch pro')] }],
        else: [
          {
            type: 'SPLIT',
            branches: [
              { name: 'A', weight: 1, steps: [email('branch a')] },
              { name: 'B', weight: 1, steps: [email('branch b')] },
            ],
          },
        ],
      },
      { type: 'WAIT', delayMinutes: 1 },
      email('branch end'),
    ],
  })
  // No request fetches these events, so that every backup has pending ones.
  await product.call('POST', 'webhooks', { events: ['*'] })
  await startCampaigns(product)
  return { life, step: () => letIn(product, life, random) }
}

async function startCampaigns(product: Product): Promise<void> {
  const addresses = Array.from({ length: RECIPIENTS }, (_, n) => ({ email: `reader-${n}@example.com` }))
  const { data: list } = (await product.call('POST', 'lists', { name: 'Readers' })) as { data: { id: string } }
  const contactIds: string[] = []
  for (const contact of addresses) {
    const { data } = (await product.call('POST', 'contacts', contact)) as { data: { id: string } }
    contactIds.push(data.id)
  }
  await product.call('POST', `lists/${list.id}/contacts`, { contactIds })
  const campaign = async (name: string, fields: object, at?: number): Promise<string> => {
    const audience = { listIds: [list.id] }
    const { data } = (await product.call('POST', 'campaigns', {
      name,
      subject: name,
      text: 'x',
      audience,
      ...fields,
    })) as {
      data: { id: string }
    }
    await product.call(
      'POST',
      `campaigns/${data.id}/schedule`,
      at === undefined ? {} : { at: new Date(at).toISOString() },
    )
    return data.id
  }
  const abTest = { variants: [{ subject: 'variant' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 60 }
  await campaign('campaign', {})
  await campaign('waits for its winner', { abTest })
  const cancelled = await campaign('cancelled', { abTest })
  await campaign('later', {}, Date.now() + 60 * MINUTE_MS)
  await product.call('POST', `campaigns/${cancelled}/cancel`)
}

/** Lets a new contact into every automation, and queues emails for now, for soon and for later. */
async function letIn(product: Product, life: Life, random: Random): Promise<void> {
  const address = `person-${newId()}@example.com`
  const at = Date.now() + random.between(0.2, 15) * MINUTE_MS
  const plan = random.pick(['pro', 'free'])
  const { data } = (await product.call('POST', 'contacts', {
    email: address,
    metadata: { at: new Date(at).toISOString(), plan },
  })) as { data: { id: string } }
  const fire = (name: string, more: object = {}) =>
    product.call('POST', `contacts/${data.id}/events`, { name, data: more })
  const person = { email: address, contactId: data.id }
  const names = ['plain', 'awaits', 'until', 'branches']
  await Promise.all([...names.map((name) => fire(name)), fire('keyed', { order: 'a' }), fire('keyed', { order: 'b' })])
  life.timed.push({ ...person, subject: 'until 1', at, answeredAt: Date.now() })
  if (random.next() < 0.5) await fire('go')
  else life.waiting.push({ ...person, subject: 'awaits 2' })

  const message = { to: address, text: 'x' }
  await product.call('POST', 'emails', { ...message, subject: 'receipt' })
  const scheduledAt = Date.now() + random.between(0.2, 15) * MINUTE_MS
  await product.call('POST', 'emails', {
    ...message,
    subject: 'scheduled',
    scheduledAt: new Date(scheduledAt).toISOString(),
  })
  life.timed.push({ ...person, subject: 'scheduled', at: scheduledAt, answeredAt: Date.now() })
}
