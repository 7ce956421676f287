import { setTimeout as delay } from 'node:timers/promises'
import { SCOPES } from '../../src/http/scopes.ts'
import { createApiKey } from '../../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { Client, Refused } from './client.ts'
import type { Random } from './random.ts'
import { email, wait } from './stage.ts'
import type { World } from './world.ts'

/**
 * How contacts enter, with the share of each way. `keyed` has a concurrency key, `doomed` is deleted, `paused` stays paused, `resumed`
 * continues, and `steps` has steps of all types.
 */
const SHARES = {
  call: 0.2,
  event: 0.1,
  keyed: 0.1,
  signup: 0.2,
  steps: 0.1,
  doomed: 0.1,
  paused: 0.1,
  resumed: 0.1,
} as const
type Group = keyof typeof SHARES
const GROUPS = Object.keys(SHARES) as Group[]

/** Share of the contacts enrolled by a call that is erased during the enrollment. */
const ERASED = 0.1
/** Share of the contacts in `steps` that leave by an exit event. */
const LEAVING = 0.2
const CONTACTS_A_BULK_CALL = 25
/** Transactional emails for each enrollment, and the shares of those with a file, that are scheduled, and that are cancelled. */
const EMAILS = 0.5
const WITH_FILE = 0.3
const SCHEDULED = 0.4
const CANCELLED = 0.4

/** Minutes between the two emails of an automation: the shortest wait there is. */
export const WAIT_MINUTES = 1

/** An automation of the load test, with the name that its subjects begin with. */
export interface Sequence {
  id: string
  emails: number
  hasWait: boolean
  /** Expected final state of its enrollments. */
  end: 'completed' | 'paused' | 'deleted'
  /** Whether some of its contacts are erased: then its counters are not checked. */
  loses: boolean
  /** Time at which a DELETE was acknowledged, in milliseconds since 1970. */
  deletedAt: number
  /** From the acknowledgement of a pause to the request that ends it. */
  pauses: { from: number; to: number }[]
}

/** An acknowledged transactional email. */
export interface SentEmail {
  id: string
  /** When a cancellation was acknowledged. */
  cancelledAt?: number
}

export interface Acknowledged {
  sequences: Map<string, Sequence>
  /** Acknowledged enrollments. */
  entered: { group: string; email: string }[]
  erased: Map<string, number>
  /** Contacts whose exit event was acknowledged, and when. */
  exited: Map<string, number>
  /** Acknowledged transactional emails, by recipient. */
  emails: Map<string, SentEmail>
  /** Number of repeated requests, because they were not acknowledged. */
  repeats: number
  /** Responses that no fault excuses. */
  serverErrors: readonly string[]
}

/**
 * Sends requests as clients do that repeat unacknowledged requests with the same Idempotency-Key. Contacts enter over a period of
 * time, and rounds of pausing, deleting and erasing run until there were enough.
 */
export async function drive(
  world: World,
  random: Random,
  {
    enrollments,
    windowMs,
    webhookUrl,
    isEnough,
  }: { enrollments: number; windowMs: number; webhookUrl: string; isEnough: () => boolean },
): Promise<Acknowledged> {
  const { em } = world.orm
  const keyOf = async (name: string) => {
    const workspace = await createWorkspace(em, { name, mode: 'live' })
    const fields = { workspaceId: workspace.id, name: 'faults', scopes: SCOPES, rateLimit: 1_000_000 }
    return (await createApiKey(em, fields)).key
  }
  const main = await keyOf('Main')
  // Sign-ups have a workspace of their own, because every contact of it is one.
  const signUps = await keyOf('Sign-ups')
  const client = new Client(world.apis)

  const sequences = new Map<string, Sequence>()
  const entered: Acknowledged['entered'] = []
  const erased = new Map<string, number>()
  const exited = new Map<string, number>()
  const emails = new Map<string, SentEmail>()

  async function automation(group: string, steps: object[], key = main, trigger: object = onEvent(group)) {
    const { body } = await client.ask(key, 'POST', '/automations', { name: group, status: 'ACTIVE', steps, ...trigger })
    const sequence: Sequence = {
      id: body.data['id'] as string,
      emails: JSON.stringify(steps).split('"subject"').length - 1,
      hasWait: steps.some((step) => 'delayMinutes' in step),
      end: group.startsWith('doomed') ? 'deleted' : group === 'paused' ? 'paused' : 'completed',
      loses: group === 'call',
      deletedAt: Infinity,
      pauses: [],
    }
    sequences.set(group, sequence)
    return sequence
  }
  const person = async (address: string) =>
    (await client.ask(main, 'POST', '/contacts', { email: address })).body.data['id'] as string
  const enroll = async (group: string, address: string, contactId: string) => {
    await client.ask(main, 'POST', `/automations/${sequences.get(group)!.id}/enroll`, { contactId })
    entered.push({ group, email: address })
  }
  const fire = async (group: string, address: string, contactId: string) => {
    // Only `keyed` uses the data.
    await client.ask(main, 'POST', `/contacts/${contactId}/events`, { name: group, data: { order: address } })
    entered.push({ group, email: address })
  }
  /** Enters the automation with all step types. Another event lets the contact continue to its end, or leave. */
  const walk = async (address: string, contactId: string) => {
    await fire('steps', address, contactId)
    await delay(random.between(0, 20_000))
    const leaves = random.next() < LEAVING
    const name = leaves ? 'steps stop' : 'steps go'
    const { at } = await client.ask(main, 'POST', `/contacts/${contactId}/events`, { name })
    if (leaves) exited.set(address, at)
    else entered.push({ group: 'tagged', email: address })
  }
  const signUp = async (addresses: readonly string[]) => {
    await client.ask(signUps, 'POST', '/contacts/bulk', { contacts: addresses.map((address) => ({ email: address })) })
    entered.push(...addresses.map((address) => ({ group: 'signup', email: address })))
  }
  const erase = async (address: string, contactId: string) => {
    erased.set(address, (await client.ask(main, 'DELETE', `/contacts/${contactId}`)).at)
  }
  const pause = async ({ id, pauses }: Sequence) => {
    const { at } = await client.ask(main, 'PATCH', `/automations/${id}`, { status: 'PAUSED' })
    pauses.push({ from: at, to: Infinity })
  }
  const resume = async ({ id, pauses }: Sequence) => {
    pauses.at(-1)!.to = Date.now()
    await client.ask(main, 'PATCH', `/automations/${id}`, { status: 'ACTIVE' })
  }
  const remove = async (sequence: Sequence) => {
    sequence.deletedAt = (await client.ask(main, 'DELETE', `/automations/${sequence.id}`)).at
  }

  /** Sends a transactional email, and cancels some of them at about their time. */
  const receipt = async (to: string) => {
    const isScheduled = random.next() < SCHEDULED
    const afterMs = random.between(2_000, 10_000)
    const request = client.ask(main, 'POST', '/emails', {
      ...{ to, subject: RECEIPT, text: 'x' },
      ...(random.next() < WITH_FILE && { attachments: [FILE] }),
      ...(isScheduled && { scheduledAt: new Date(Date.now() + afterMs).toISOString() }),
    })
    const answer = await request.catch((error: unknown) => {
      // Faults delayed it until a minute after its time: nothing was accepted.
      if (isScheduled && error instanceof Refused && error.status === 400) return undefined
      throw error
    })
    if (!answer) return
    const { body } = answer
    const sent: SentEmail = { id: body.data['id'] as string }
    emails.set(to, sent)
    if (random.next() >= CANCELLED) return
    await delay(random.between(0, isScheduled ? afterMs : 400))
    try {
      sent.cancelledAt = (await client.ask(main, 'POST', `/emails/${sent.id}/cancel`)).at
    } catch (error) {
      // It is being sent, or was sent.
      if (!(error instanceof Refused && error.status === 409)) throw error
    }
  }

  const onTag = { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'stepped' } }
  await automation('tagged', [email('tagged 1')], main, onTag)
  await automation('steps', allSteps(webhookUrl), main, { ...onEvent('steps'), exitOn: [{ eventName: 'steps stop' }] })
  for (const group of GROUPS.filter((each) => each !== 'steps')) {
    const steps = [email(`${group} 1`), wait(WAIT_MINUTES), email(`${group} 2`)]
    if (group === 'signup') await automation(group, steps, signUps, { trigger: 'SIGNUP' })
    else if (group === 'keyed') await automation(group, steps, main, { ...onEvent(group), entry: KEYED })
    else await automation(group, steps)
  }
  const within = (from: number, to: number) => delay(random.between(from, to) * windowMs)

  async function enter(group: Group, n: number): Promise<void> {
    const address = `${group}-${n}@example.com`
    // Contacts that are to be deleted or paused have to be enrolled by then.
    const early = group === 'doomed' || group === 'paused' || group === 'resumed'
    await within(0, early ? 0.4 : 0.95)
    const contactId = await person(address)
    try {
      if (group === 'steps') await walk(address, contactId)
      else await (group === 'event' || group === 'keyed' ? fire : enroll)(group, address, contactId)
    } catch (error) {
      // Faults delayed it until its automation was paused or deleted: nothing was acknowledged.
      if (early && error instanceof Refused && error.status === 404) return
      throw error
    }
    if (group === 'call' && random.next() < ERASED) {
      await delay(random.between(0, 20_000))
      await erase(address, contactId)
    }
  }

  /** Pauses, deletes and erases during the first emails, once in each round. */
  async function round(n: number): Promise<void> {
    const name = (who: string) => `round-${n}-${who}@example.com`
    const moment = (milliseconds: number) => delay(random.between(0, milliseconds))
    const paused = async () => {
      const group = `paused-${n}`
      const sequence = await automation(group, [email(`${group} 1`), email(`${group} 2`)])
      for (const who of ['p', 'q']) await enroll(group, name(who), await person(name(who)))
      await moment(400)
      await pause(sequence)
      await moment(2_000)
      await resume(sequence)
    }
    const doomed = async () => {
      const group = `doomed-${n}`
      const sequence = await automation(group, [email(`${group} 1`), email(`${group} 2`)])
      for (const who of ['d', 'e']) await enroll(group, name(who), await person(name(who)))
      await moment(400)
      await remove(sequence)
    }
    const erasure = async () => {
      const contactId = await person(name('f'))
      await enroll('call', name('f'), contactId)
      await moment(400)
      await erase(name('f'), contactId)
    }
    await Promise.all([
      paused(),
      doomed(),
      erasure(),
      person(name('g')).then((contactId) => fire('event', name('g'), contactId)),
      person(name('k')).then((contactId) => fire('keyed', name('k'), contactId)),
      person(name('w')).then((contactId) => walk(name('w'), contactId)),
      signUp([name('s'), name('t')]),
      receipt(name('r')),
    ])
  }
  async function rounds(): Promise<void> {
    const all: Promise<void>[] = []
    let running = 0
    for (let n = 0; !isEnough(); n += 1) {
      running += 1
      const mine = round(n).finally(() => (running -= 1))
      // The error is reported at the end.
      mine.catch(() => undefined)
      all.push(mine)
      await delay(ROUND_MS)
      // If everything is slow, more rounds do not pass more points.
      while (running >= ROUNDS_AT_A_TIME && !isEnough()) await delay(100)
    }
    await Promise.all(all)
  }

  const tasks: Promise<void>[] = [rounds()]
  for (const group of GROUPS) {
    const count = Math.round(enrollments * SHARES[group])
    if (group === 'signup') {
      for (let from = 0; from < count; from += CONTACTS_A_BULK_CALL) {
        const length = Math.min(CONTACTS_A_BULK_CALL, count - from)
        const addresses = Array.from({ length }, (_, n) => `signup-${from + n}@example.com`)
        tasks.push(within(0, 0.95).then(() => signUp(addresses)))
      }
    } else {
      for (let n = 0; n < count; n += 1) tasks.push(enter(group, n))
    }
  }
  for (let n = 0; n < enrollments * EMAILS; n += 1)
    tasks.push(within(0, 0.95).then(() => receipt(`receipt-${n}@example.com`)))
  const halfTime = delay(0.5 * windowMs)
  tasks.push(
    halfTime.then(() => pause(sequences.get('paused')!)),
    halfTime
      .then(() => pause(sequences.get('resumed')!))
      .then(() => delay(0.4 * windowMs))
      .then(() => resume(sequences.get('resumed')!)),
    halfTime.then(() => remove(sequences.get('doomed')!)),
    // More concurrent requests than the APIs have connections.
    delay(0.7 * windowMs).then(async () => {
      await Promise.all(Array.from({ length: 120 }, () => client.ask(main, 'GET', '/contacts')))
    }),
  )
  await Promise.all(tasks)
  return { sequences, entered, erased, exited, emails, repeats: client.repeats, serverErrors: client.serverErrors }
}

/** Milliseconds between the beginnings of two rounds, and the number of concurrent rounds. */
const ROUND_MS = 2_000
const ROUNDS_AT_A_TIME = 4

/** The subject of transactional emails. */
export const RECEIPT = 'Receipt'
const FILE = { filename: 'receipt.txt', content: Buffer.from('Thank you').toString('base64') }

/** Contacts may be in the automation once for each order. */
const KEYED = { concurrency: { key: 'event.data.order' } }

const onEvent = (name: string) => ({ trigger: 'EVENT', triggerConfig: { eventName: name } })

/** The number of finished steps that are not emails, in an enrollment that reached the end of `allSteps`. */
export const FINISHED_STEPS = 7

/** Steps of all types. Each contact gets both emails, unless they leave. */
function allSteps(webhookUrl: string): object[] {
  const soon = new Date(Date.now() + 120_000).toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length)
  const waiting = { type: 'WAIT_FOR_EVENT', eventName: 'steps go', timeoutMinutes: 1_440, timedOut: [{ type: 'EXIT' }] }
  const isAnswered = { stepData: 'hook.ok', is: 'equal', value: true }
  return [
    email('steps 1'),
    { type: 'UPDATE_CONTACT', addTags: ['stepped'] },
    {
      type: 'CONDITION',
      branches: [
        { name: 'Tagged', if: { tag: 'stepped' }, steps: [{ type: 'WEBHOOK', url: webhookUrl, saveAs: 'hook' }] },
      ],
      else: [{ type: 'EXIT' }],
    },
    { type: 'WAIT_UNTIL', until: { at: soon }, timezone: 'UTC' },
    {
      type: 'SPLIT',
      branches: [
        { name: 'A', weight: 1, steps: [] },
        { name: 'B', weight: 1, steps: [] },
      ],
    },
    {
      type: 'CONDITION',
      branches: [{ name: 'Answered', if: isAnswered, steps: [{ ...waiting, received: [email('steps 2')] }] }],
      else: [{ type: 'EXIT' }],
    },
  ]
}
