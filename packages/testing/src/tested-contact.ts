import { keyOf, RehearsedContact, type Setting, type TimelineEntry } from '../../../src/rehearsal/index.ts'
import type { EventFact } from '../../../src/segments/index.ts'
import { MAX_CHAIN_LENGTH, type Trigger } from '../../../src/triggers/index.ts'
import type { Definitions, TestedAutomation } from './definitions.ts'
import { renderEmail } from './rendering.ts'
import { type Item, type Start, TestedEnrollment } from './tested-enrollment.ts'
import type { Email } from './types.ts'

/** The consequence of an entry of a timeline for the other enrollments of the contact. */
interface Consequence {
  enrollment: TestedEnrollment
  /** The index of the entry in the timeline. */
  index: number
  entry: TimelineEntry
}

const isConsequence = (entry: TimelineEntry): boolean =>
  entry.type === 'CHANGE' || (entry.type === 'EMAIL' && entry.suppressedBy === null)

/**
 * A contact, and everything that has happened to them. An enrollment is computed again from this when time passes: its course is a
 * function of the contact when they entered, and of what happened since.
 */
export class TestedContact {
  /** The contact as they are now. */
  readonly current: RehearsedContact
  readonly enrollments: TestedEnrollment[] = []
  readonly emails: Email[] = []
  private readonly items: Item[] = []
  /** The number of items before each enrollment. */
  private readonly begins = new Map<TestedEnrollment, number>()
  private readonly definitions: Definitions
  private readonly setting: Omit<Setting, 'until'>

  constructor(current: RehearsedContact, definitions: Definitions, setting: Omit<Setting, 'until'>) {
    this.current = current
    this.definitions = definitions
    this.setting = setting
  }

  /** Starts what the creation of the contact starts. */
  create(at: number): void {
    this.trigger('SIGNUP', '', at, null)
    this.triggerGroups(new Set(), new Set(), at, null)
    this.settle(at)
  }

  /** Records something that happens to the contact, and what it causes at once. */
  record(item: Item): void {
    this.append(item)
    this.settle(item.at)
  }

  /** Enrolls the contact, whatever the trigger. */
  enroll(automation: TestedAutomation, at: number, event: EventFact | null): void {
    if (!this.start(automation, { at, event, cause: null }))
      throw new Error(`${this.current.email} is in ${automation.name} already`)
    this.settle(at)
  }

  /** Computes what has happened until a time. */
  settle(until: number): void {
    for (let next = this.nextConsequence(until); next; next = this.nextConsequence(until)) this.apply(next)
  }

  /** Finds the earliest entry that changes something for other enrollments. Later ones may depend on it. */
  private nextConsequence(until: number): Consequence | undefined {
    let next: Consequence | undefined
    for (const enrollment of this.enrollments) {
      this.run(enrollment, until)
      const { timeline } = enrollment.course
      const index = timeline.findIndex((each, n) => n >= enrollment.settled && isConsequence(each))
      if (index !== -1 && (!next || timeline[index]!.at < next.entry.at))
        next = { enrollment, index, entry: timeline[index]! }
    }
    return next
  }

  private apply({ enrollment, index, entry }: Consequence): void {
    enrollment.settled = index + 1
    const { at } = entry
    if (entry.type === 'CHANGE') this.append({ at, change: enrollment.changeOf(entry.stepId), by: enrollment })
    if (entry.type === 'EMAIL') this.send(enrollment, entry.stepId, at)
  }

  private send(enrollment: TestedEnrollment, stepId: string, at: number): void {
    const { automation, course, emails } = enrollment
    const step = automation.rehearsable.steps.find(({ id }) => id === stepId)
    if (step?.type !== 'EMAIL') throw new Error(`The step ${stepId} sends no email`)
    const email = {
      ...{ at: new Date(at).toISOString(), automation: automation.name, step: step.name ?? null },
      ...renderEmail(step, automation.rehearsable, course.emails[emails.length]!, {
        contact: this.current,
        lists: [...this.current.lists].map((id) => this.definitions.lists.get(id)!),
        timezone: this.definitions.timezone,
      }),
    }
    emails.push(email)
    this.emails.push(email)
    const message = {
      ...{ stepId, automationId: automation.rehearsable.id, campaignId: null, status: this.setting.sentAs, at },
      ...{ openedAt: null, clickedAt: null, hasBounced: false },
    }
    this.append({ at, message, by: enrollment })
  }

  private append(item: Item): void {
    const { current, setting } = this
    const { at, by } = item
    this.items.push(item)
    if ('message' in item) current.messages.push(item.message)
    else if ('change' in item) {
      const tags = new Set(current.tags)
      const lists = new Set(current.lists)
      current.update(item.change, setting.openLists, at)
      this.triggerGroups(tags, lists, at, by)
    } else {
      // An event is a fact for the enrollments that it starts only as their event.
      this.trigger('EVENT', item.name, at, null, item)
      current.events.push(item)
    }
  }

  /** Starts what new tags and lists start. */
  private triggerGroups(
    tags: ReadonlySet<string>,
    lists: ReadonlySet<string>,
    at: number,
    by: TestedEnrollment | null,
  ): void {
    const cause = (change: string) => by && { by, change }
    for (const tag of this.current.tags)
      if (!tags.has(tag)) this.trigger('TAG_ADDED', tag, at, cause(`adds the tag ${tag}`))
    for (const list of this.current.lists)
      if (!lists.has(list))
        this.trigger('LIST_ADDED', list, at, cause(`adds to the list ${this.definitions.lists.get(list)}`))
  }

  private trigger(
    trigger: Trigger,
    key: string,
    at: number,
    cause: Start['cause'],
    event: EventFact | null = null,
  ): void {
    for (const automation of this.definitions.automations.values())
      if (automation.rehearsable.trigger === trigger && automation.triggerKey === key)
        this.start(automation, { at, event, cause })
  }

  /** @returns whether the contact was not in the automation already */
  private start(automation: TestedAutomation, { at, event, cause }: Pick<Start, 'at' | 'event' | 'cause'>): boolean {
    const { keyPath } = automation.prepared
    const keyFor = (entered: EventFact | null) => (keyPath === null ? '' : keyOf(keyPath, entered?.data))
    const last = this.enrollments.findLast(
      (each) => each.automation === automation && !each.isRefused && keyFor(each.event) === keyFor(event),
    )
    if (last) this.run(last, at)
    if (last?.isActive) return false
    const enrollment = new TestedEnrollment({
      ...{ automation, at, event, cause, last: last ?? null },
      contact: this.snapshot(at),
    })
    this.begins.set(enrollment, this.items.length)
    this.run(enrollment, at)
    if (!enrollment.isRefused && enrollment.depth > MAX_CHAIN_LENGTH) throw new Error(loopOf(enrollment))
    this.enrollments.push(enrollment)
    return true
  }

  /** Copies the contact. Events at the same time came before, and the engine distinguishes them only by their times. */
  private snapshot(at: number): RehearsedContact {
    const copy = new RehearsedContact(this.current)
    for (const [n, event] of copy.events.entries()) if (event.at === at) copy.events[n] = { ...event, at: at - 1 }
    return copy
  }

  private run(enrollment: TestedEnrollment, until: number): void {
    enrollment.run(this.items.slice(this.begins.get(enrollment)), { ...this.setting, until })
  }
}

/** Describes automations that start each other. */
function loopOf(enrollment: TestedEnrollment): string {
  const links: string[] = []
  for (let each = enrollment; each.cause; each = each.cause.by) {
    links.unshift(`${each.cause.change}, which starts ${each.automation.name}`)
    if (each.cause.by.automation === enrollment.automation) break
  }
  return (
    `Automations start each other in a loop: ${enrollment.automation.name} ${links.join(', which ')}. ` +
    `Dripline ends such a loop after ${MAX_CHAIN_LENGTH} starts.`
  )
}
