import { type AppliedChange, suppressionOf, type Recipient, type SuppressedBy } from '../contacts/index.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import type { ContactFacts, EventFact, MessageFact } from '../segments/index.ts'
import { foldName } from '../triggers/index.ts'

/** The facts about a contact that a rehearsal reads. */
export interface ContactState extends ContactFacts {
  id: string
  /** The facts that can suppress an email. */
  consent: Pick<Recipient, 'suppressions' | 'optOutListIds' | 'isUnconfirmed'>
}

/** A contact as a rehearsal changes it. The contact itself stays as it is. */
export class RehearsedContact implements ContactState {
  readonly id: string
  readonly email: string
  firstName: string | null
  metadata: Readonly<Record<string, unknown>>
  readonly createdAt: number
  updatedAt: number
  readonly tags: Set<string>
  readonly lists: Set<string>
  readonly events: EventFact[]
  readonly messages: MessageFact[]
  readonly consent: ContactState['consent']

  constructor({ consent, ...state }: ContactState) {
    this.id = state.id
    this.email = state.email
    this.firstName = state.firstName
    this.metadata = state.metadata
    this.createdAt = state.createdAt
    this.updatedAt = state.updatedAt
    this.tags = new Set(state.tags)
    this.lists = new Set(state.lists)
    this.events = [...state.events]
    this.messages = [...state.messages]
    this.consent = consent
  }

  /** @param listIds the lists because of which the email is sent */
  suppressedBy(category: EmailCategory, listIds: readonly string[]): SuppressedBy | null {
    return suppressionOf({ ...this.consent, isInAnyList: this.lists.size > 0 }, { category, listIds })
  }

  /** Applies a change as `applyChange` does: a list that does not exist, or that the contact left, is skipped. */
  update(change: AppliedChange, openLists: ReadonlySet<string>, at: number): void {
    const { set = {}, addTags = [], removeTags = [], addToLists = [], removeFromLists = [] } = change
    if (set.firstName !== undefined) this.firstName = set.firstName
    const changed = Object.entries({ ...this.metadata, ...set.metadata })
    this.metadata = Object.fromEntries(
      changed.filter(([key, value]) => value !== null || !isRemoved(set.metadata, key)),
    )
    for (const tag of addTags) this.tags.add(foldName(tag.trim()))
    for (const tag of removeTags) this.tags.delete(foldName(tag.trim()))
    for (const list of addToLists)
      if (openLists.has(list) && !this.consent.optOutListIds.includes(list)) this.lists.add(list)
    for (const list of removeFromLists) this.lists.delete(list)
    this.updatedAt = at
  }
}

/** `null` removes a key. */
const isRemoved = (metadata: Record<string, unknown> | undefined, key: string): boolean =>
  metadata !== undefined && Object.hasOwn(metadata, key)
