import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { ROOT } from '../npm-start.ts'
import { startSmtpSink, type ReceivedMail, type SmtpSink } from '../../../scripts/cluster/smtp-sink.ts'
import { startProduct, type Product } from './product.ts'
import { dataDirOf, writeStory, type Person, type Story } from './story.ts'

/** The longest possible wait: ten years, in minutes. */
const YEARS = 5_256_000

const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
const wait = (delayMinutes: number) => ({ type: 'WAIT', delayMinutes })

/** Returns a mail's subject. The tests' subjects are plain ASCII, and so not encoded in the header. */
export const subjectOf = ({ headers }: ReceivedMail): string => /^Subject: (.*?)\r?$/m.exec(headers)?.[1] ?? ''

interface Making {
  sink: SmtpSink
  story: Story
  /** Subjects of emails that the mail server has received completely, but does not answer. */
  unanswered: Set<string>
  /** Makes the mail server answer them. */
  answer(subject: string): void
}

/**
 * Creates a folder with work of every kind in progress: contacts who wait, are paused, have an unconfirmed or a due email, or
 * were just deleted. Then it kills all processes that work on it.
 *
 * @param root the checkout of the product that creates it: this one, or one of an earlier version
 * @returns the description of it, which is also stored beside the data
 */
export async function makeBusyFolder(folder: string, { root = ROOT }: { root?: string } = {}): Promise<Story> {
  const unanswered = new Set<string>()
  const answers = new Map<string, () => void>()
  const sink = await startSmtpSink((mail) => {
    const subject = subjectOf(mail)
    if (!unanswered.has(subject)) return
    return new Promise<void>((resolve) => answers.set(subject, resolve))
  })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const making: Making = {
    sink,
    story: { version, key: '', paused: [], people: [] },
    unanswered,
    answer(subject) {
      unanswered.delete(subject)
      answers.get(subject)?.()
    },
  }
  let product: Product | undefined
  try {
    product = await startProduct(dataDirOf(folder), sink.url, root)
    await firstPart(making, product)
    await product.kill()
    product = await startProduct(dataDirOf(folder), sink.url, root)
    product.use(making.story.key)
    await secondPart(making, product)
  } finally {
    await product?.kill()
    await sink.close()
  }
  for (const person of making.story.people) {
    person.had = sink.mails.filter(({ to }) => to.includes(person.email)).map(subjectOf)
  }
  writeStory(folder, making.story)
  return making.story
}

/** The first part, up to a kill while an email is in flight. */
async function firstPart(making: Making, product: Product): Promise<void> {
  const [first] = JSON.parse(await product.cli('workspace', 'list', '--json')) as [{ id: string }]
  const made = await product.cli(
    ...['key', 'create', '--workspace', first.id, '--name', 'busy', '--scopes', 'all', '--rate-limit', '100000'],
    '--json',
  )
  making.story.key = (JSON.parse(made) as { key: string }).key
  product.use(making.story.key)

  making.unanswered.add('unconfirmed 1')
  const steps = [email('unconfirmed 1'), wait(1), email('unconfirmed 2')]
  await enter(making, product, 'had its first email in flight at a kill -9 before the last', {
    name: 'unconfirmed',
    steps,
    due: ['unconfirmed 2'],
    unconfirmed: 1,
  })
  await hasCome(making, 'unconfirmed 1')
}

/** The second part, up to the last kill. The fastest work comes last. */
async function secondPart(making: Making, product: Product): Promise<void> {
  const { sink, story, unanswered } = making

  await enter(making, product, 'waits for years', {
    name: 'long',
    steps: [email('long 1'), wait(YEARS), email('long 2')],
    end: 'waits',
  })

  const pausedPerson = await enter(making, product, 'is paused before its second email', {
    name: 'held',
    steps: [email('held 1'), email('held 2')],
    due: ['held 2'],
    pausedDuring: 'held 1',
  })
  const released = await enter(
    making,
    product,
    'was paused, and its automation was resumed while Temporal was unavailable',
    {
      name: 'released',
      steps: [email('released 1'), email('released 2')],
      due: ['released 2'],
      pausedDuring: 'released 1',
    },
  )
  await eventually('both are paused', async () =>
    (await product.metric('dripline_enrollments_paused')) === 2 ? true : undefined,
  )

  const listener = await anAutomation(product, {
    name: 'event',
    trigger: 'EVENT',
    triggerConfig: { eventName: 'bought' },
    steps: [email('event 1')],
  })
  const buyers = [await aContact(product, 'event-1'), await aContact(product, 'event-2')]

  sink.behave({ code: 451, text: 'later', at: 'rcpt', to: addressOf('deferred') })
  const deferred = await enter(making, product, 'has a deferred email', {
    name: 'deferred',
    steps: [email('deferred 1')],
    due: ['deferred 1'],
  })
  await hasMessage(product, deferred, 'DEFERRED')
  const [dead] = story.people as [Person]
  await hasMessage(product, dead, 'UNCONFIRMED')

  // From this point, a wait of a minute is running.
  await enter(making, product, 'waits for a minute', {
    name: 'short',
    steps: [email('short 1'), wait(1), email('short 2')],
    due: ['short 2'],
  })
  const waitsPaused = await enter(making, product, 'waits in an automation that is paused', {
    name: 'held wait',
    steps: [email('held wait 1'), wait(1), email('held wait 2')],
    due: ['held wait 2'],
  })
  const deleted = await enter(making, product, 'waits in an automation that is deleted while Temporal is unavailable', {
    name: 'deleted',
    steps: [email('deleted 1'), wait(YEARS), email('deleted 2')],
    end: 'gone',
  })
  const erased = await enter(making, product, 'is erased while Temporal is unavailable', {
    name: 'erased',
    steps: [email('erased 1'), wait(YEARS), email('erased 2')],
    end: 'gone',
  })
  for (const subject of ['long 1', 'short 1', 'held wait 1', 'deleted 1', 'erased 1']) await hasCome(making, subject)
  await setStatus(product, waitsPaused.automationId, 'PAUSED')
  story.paused.push(pausedPerson.automationId, waitsPaused.automationId)

  unanswered.add('claimed 1')
  await enter(making, product, 'had its first email in flight at the last kill -9', {
    name: 'claimed',
    steps: [email('claimed 1'), email('claimed 2')],
    due: ['claimed 2'],
    unconfirmed: 1,
  })
  await hasCome(making, 'claimed 1')
  await anAutomation(product, { name: 'signup', trigger: 'SIGNUP', steps: [email('signup 1')] })

  await product.freezeTemporal()
  await product.call('DELETE', `automations/${deleted.automationId}`)
  await product.call('DELETE', `contacts/${erased.contactId}`)
  await setStatus(product, released.automationId, 'ACTIVE')
  for (const [n, contactId] of buyers.entries()) {
    await product.call('POST', `contacts/${contactId}/events`, { name: 'bought' })
    const what = 'had an event while Temporal was unavailable'
    note(making, what, { name: `event-${n + 1}`, contactId, automationId: listener, due: ['event 1'] })
  }
  await signUp(making, product)
}

/** Creates contacts in bulk while Temporal is unavailable. */
async function signUp(making: Making, product: Product): Promise<void> {
  const names = ['signup-1', 'signup-2', 'signup-3']
  await product.call('POST', 'contacts/bulk', { contacts: names.map((name) => ({ email: addressOf(name) })) })
  const { data: automations } = await product.call('GET', 'automations?limit=100')
  const { id: automationId } = automations.find(({ name }: { name: string }) => name === 'signup')
  for (const name of names) {
    const { data } = await product.call('GET', `contacts?email=${encodeURIComponent(addressOf(name))}`)
    const what = 'signed up in bulk while Temporal was unavailable'
    note(making, what, { name, contactId: data[0].id, automationId, due: ['signup 1'] })
  }
}

interface Enter {
  name: string
  steps: object[]
  due?: string[]
  unconfirmed?: number
  end?: Person['end']
  /** The email during whose transmission the automation is paused: the enrollment is paused after it. */
  pausedDuring?: string
}

/** Creates a contact and an automation, and enrolls the contact. */
async function enter(making: Making, product: Product, what: string, entry: Enter): Promise<Person> {
  const { name, steps, pausedDuring } = entry
  const contactId = await aContact(product, name)
  const triggerConfig = { eventName: `entered manually: ${name}` }
  const automationId = await anAutomation(product, { name, trigger: 'EVENT', triggerConfig, steps })
  if (pausedDuring) making.unanswered.add(pausedDuring)
  await product.call('POST', `automations/${automationId}/enroll`, { contactId })
  if (pausedDuring) {
    await hasCome(making, pausedDuring)
    await setStatus(product, automationId, 'PAUSED')
    making.answer(pausedDuring)
  }
  return note(making, what, { ...entry, contactId, automationId })
}

function note(
  { story }: Making,
  what: string,
  entry: Pick<Enter, 'name' | 'due' | 'unconfirmed' | 'end'> & { contactId: string; automationId: string },
): Person {
  const { name, contactId, automationId, due = [], unconfirmed = 0, end = 'completed' } = entry
  const person = { what, email: addressOf(name), contactId, automationId, had: [], due, unconfirmed, end }
  story.people.push(person)
  return person
}

const addressOf = (name: string) => `${name.replaceAll(' ', '-')}@example.com`

async function aContact(product: Product, name: string): Promise<string> {
  const { data } = await product.call('POST', 'contacts', { email: addressOf(name) })
  return data.id as string
}

async function anAutomation(product: Product, fields: object): Promise<string> {
  const { data } = await product.call('POST', 'automations', { status: 'ACTIVE', ...fields })
  return data.id as string
}

const setStatus = (product: Product, automationId: string, status: string) =>
  product.call('PATCH', `automations/${automationId}`, { status })

const hasCome = ({ sink }: Making, subject: string) =>
  eventually(`the mail server has "${subject}"`, () => sink.mails.find((mail) => subjectOf(mail) === subject))

/** Waits for the status of a message. The claim of a dead owner has a lease, which expires first. */
const hasMessage = (product: Product, { what, contactId }: Person, status: string) =>
  eventually(
    `a message of the contact who ${what} is ${status}`,
    async () => {
      const { data } = await product.call('GET', `contacts/${contactId}/activity`)
      return data.some((message: { status: string }) => message.status === status) ? true : undefined
    },
    90_000,
  )
