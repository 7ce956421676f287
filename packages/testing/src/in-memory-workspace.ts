import { orNearest } from '../../../src/platform/nearest-name.ts'
import { idOfValues } from '../../../src/platform/ids.ts'
import { RehearsedContact, type Setting, type TimelineEntry } from '../../../src/rehearsal/index.ts'
import { resolverOf } from '../../../src/segments/index.ts'
import { foldName } from '../../../src/triggers/index.ts'
import type { Definitions, TestedAutomation } from './definitions.ts'
import { TestedContact } from './tested-contact.ts'
import { readDuration, readTime } from './time.ts'
import { describeTimeline } from './timeline-text.ts'
import type {
  Contact,
  ContactChange,
  ContactFields,
  ContactState,
  Email,
  Enrollment,
  Workspace,
  WorkspaceOptions,
} from './types.ts'

const START = '2027-03-01T09:00:00Z'

/** A workspace whose clock moves only when a test moves it. */
export class InMemoryWorkspace implements Workspace {
  private clock: number
  private readonly definitions: Definitions
  private readonly setting: Omit<Setting, 'until'>
  private readonly contacts = new Map<string, TestedContact>()

  constructor(definitions: Definitions, { startAt = START, responses = {} }: WorkspaceOptions) {
    this.definitions = definitions
    this.clock = readTime(startAt, 'startAt')
    this.setting = {
      resolve: resolverOf(definitions.segments),
      openLists: new Set(definitions.lists.keys()),
      timezone: definitions.timezone,
      sentAs: 'SENT',
      responses,
    }
  }

  get now(): string {
    return new Date(this.clock).toISOString()
  }

  contact(fields: ContactFields): Contact {
    const { email, id = idOfValues('contact', email), createdAt, unsubscribed = false } = fields
    if (this.contacts.has(id)) throw new Error(`The workspace has the contact ${email} already`)
    const created = createdAt === undefined ? this.clock : readTime(createdAt, 'createdAt')
    const lists = this.listIds(fields.lists ?? [])
    const current = new RehearsedContact({
      ...{ id, email, firstName: fields.firstName ?? null, metadata: fields.metadata ?? {} },
      ...{ createdAt: created, updatedAt: created, events: [], messages: [] },
      tags: new Set((fields.tags ?? []).map((tag) => foldName(tag.trim()))),
      lists: new Set(lists),
      consent: {
        suppressions: unsubscribed ? ['UNSUBSCRIBED'] : [],
        ...{ optOutListIds: [], isUnconfirmed: false },
      },
    })
    const contact = new TestedContact(current, this.definitions, this.setting)
    this.contacts.set(id, contact)
    if (createdAt === undefined) contact.create(this.clock)
    return { id, email }
  }

  update(contact: Contact, { firstName, metadata, addToLists, removeFromLists, ...tags }: ContactChange): void {
    const change = {
      ...tags,
      set: { ...(firstName !== undefined && { firstName }), ...(metadata && { metadata: { ...metadata } }) },
      addToLists: this.listIds(addToLists ?? []),
      removeFromLists: this.listIds(removeFromLists ?? []),
    }
    this.find(contact).record({ at: this.clock, change, by: null })
  }

  event(contact: Contact, name: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.find(contact).record({ at: this.clock, name: foldName(name), data, by: null })
  }

  enroll(contact: Contact, automation: string, data?: Readonly<Record<string, unknown>>): void {
    const event = data === undefined ? null : { name: '', data, at: this.clock }
    this.find(contact).enroll(this.automation(automation), this.clock, event)
  }

  advance(duration: string): void {
    this.moveTo(this.clock + readDuration(duration))
  }

  advanceTo(time: string): void {
    const at = readTime(time, 'The time')
    if (at < this.clock) throw new Error(`The clock is at ${this.now} already. It cannot go back to ${time}`)
    this.moveTo(at)
  }

  read(contact: Contact): ContactState {
    const { email, firstName, metadata, tags, lists } = this.find(contact).current
    return {
      email,
      firstName,
      metadata,
      tags: [...tags],
      lists: [...lists].map((id) => this.definitions.lists.get(id)!),
    }
  }

  emails(contact: Contact): Email[] {
    return [...this.find(contact).emails]
  }

  enrollment(contact: Contact, automation: string): Enrollment {
    const enrollments = this.enrollmentsIn(contact, automation)
    const found = enrollments.findLast(({ isRefused }) => !isRefused) ?? enrollments.at(-1)
    if (!found) throw new Error(`${contact.email} has not been in ${automation}`)
    const last = found.course.timeline.at(-1)!
    return {
      status: statusOf(last),
      refusedBy: last.type === 'REFUSED' && last.rule !== 'ALREADY_ENROLLED' ? last.rule : null,
      enteredAt: new Date(found.at).toISOString(),
      endedAt: last.type === 'UNFINISHED' ? null : new Date(last.at).toISOString(),
    }
  }

  timeline(contact: Contact, automation: string): string {
    const of = { definitions: this.definitions, contact: this.find(contact).current, automation }
    return describeTimeline(this.enrollmentsIn(contact, automation), of)
  }

  private moveTo(time: number): void {
    this.clock = time
    for (const contact of this.contacts.values()) contact.settle(time)
  }

  private enrollmentsIn(contact: Contact, name: string) {
    const automation = this.automation(name)
    return this.find(contact).enrollments.filter((each) => each.automation === automation)
  }

  private find({ id, email }: Contact): TestedContact {
    const contact = this.contacts.get(id)
    if (!contact)
      throw new Error(
        email === undefined
          ? 'Pass the contact that contact() returned, not an address'
          : `The workspace has no contact ${email}`,
      )
    return contact
  }

  private automation(name: string): TestedAutomation {
    const { automations } = this.definitions
    const automation = automations.get(name)
    if (!automation) throw new Error(`No automation has the name "${name}"${orNearest(name, [...automations.keys()])}`)
    return automation
  }

  private listIds(names: readonly string[]): string[] {
    const ids = new Map([...this.definitions.lists].map(([id, name]) => [name, id]))
    return names.map((name) => {
      const id = ids.get(name)
      if (id === undefined) throw new Error(`No list has the name "${name}"${orNearest(name, [...ids.keys()])}`)
      return id
    })
  }
}

const statusOf = (last: TimelineEntry): Enrollment['status'] =>
  last.type === 'ENDED' ? last.status : last.type === 'REFUSED' ? 'REFUSED' : 'ACTIVE'
