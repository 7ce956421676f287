import type { EntityManager } from '../platform/db/orm.ts'
import { assertTransaction } from '../platform/db/sql.ts'
import type { ContactField, WebhookFact } from './facts.ts'
import {
  type ContactPayload,
  insertEvents,
  mergeContactChanges,
  type NewEvent,
  readCampaigns,
  readContacts,
  readEnrollments,
  readImports,
  readListNames,
  readMessages,
  readSubscriptions,
  type Subscriptions,
} from './record-queries.ts'

/**
 * Records the facts to which an enabled endpoint subscribes as events, in the transaction of the change. Builds the payloads from the
 * current rows. Runs one small statement if no endpoint subscribes.
 *
 * @param em a transaction
 * @param facts in the order in which the endpoints get them
 * @param subscriptions of the workspaces, if the caller has read them together with another statement
 */
export async function recordWebhookFacts(
  em: EntityManager,
  facts: readonly WebhookFact[],
  subscriptions?: Subscriptions,
): Promise<void> {
  assertTransaction(em)
  if (facts.length === 0) return
  const subscribed =
    subscriptions ??
    (await readSubscriptions(
      em,
      facts.map(({ workspaceId }) => workspaceId),
    ))
  const wanted = facts.filter((fact) => subscribed.want(fact.workspaceId, fact.type))
  if (wanted.length === 0) return
  const rows = await readRows(em, wanted)
  const events = wanted.flatMap((fact) => eventOf(fact, rows) ?? [])
  const merged = await mergeContactChanges(em, events)
  await insertEvents(
    em,
    events.filter((event) => !merged.has(event)),
  )
}

type Rows = Awaited<ReturnType<typeof readRows>>

/** Reads the rows that facts name. */
async function readRows(em: EntityManager, facts: readonly WebhookFact[]) {
  const distinct = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))]
  return {
    contacts: await readContacts(em, distinct(facts.flatMap((fact) => ('contactId' in fact ? fact.contactId : [])))),
    lists: await readListNames(em, distinct(facts.flatMap((fact) => ('listId' in fact ? fact.listId : [])))),
    enrollments: await readEnrollments(
      em,
      distinct(facts.flatMap((fact) => ('enrollmentId' in fact ? fact.enrollmentId : []))),
    ),
    messages: await readMessages(em, distinct(facts.flatMap((fact) => ('messageId' in fact ? fact.messageId : [])))),
    campaigns: await readCampaigns(
      em,
      distinct(facts.flatMap((fact) => ('campaignId' in fact ? fact.campaignId : []))),
    ),
    imports: await readImports(em, distinct(facts.flatMap((fact) => ('importId' in fact ? fact.importId : [])))),
  }
}
/** @returns the event with its payload; `undefined` if its contact was erased, or it is a part of another event */
function eventOf(fact: WebhookFact, rows: Rows): NewEvent | undefined {
  const { workspaceId, type } = fact
  const event = (contactId: string | null, data: object): NewEvent => ({ workspaceId, type, contactId, data })
  if ('importId' in fact) return event(null, rows.imports.get(fact.importId)!)
  if ('campaignId' in fact) return event(null, rows.campaigns.get(fact.campaignId)!)
  if ('messageId' in fact) return messageEvent(fact, rows, event)
  if ('contactId' in fact) return contactEvent(fact, rows, event)
  const enrollment = rows.enrollments.get(fact.enrollmentId)
  // An enrollment can be recorded after it has ended.
  const state = type === 'enrollment.started' ? { status: 'ACTIVE', rule: null } : {}
  return enrollment && event(enrollment.contactId, { ...enrollment, ...state })
}

function messageEvent(
  fact: Extract<WebhookFact, { messageId: string }>,
  { messages }: Rows,
  event: (contactId: string | null, data: object) => NewEvent,
): NewEvent | undefined {
  // The messages in flight to an erased contact are deleted, without more events.
  const message = messages.get(fact.messageId)
  if (!message) return undefined
  const { recipientId, clickedUrl, ...data } = message
  if (fact.type === 'message.clicked') return event(recipientId, { ...data, url: clickedUrl })
  if (!('bounce' in fact)) return event(recipientId, data)
  const { reason, bounce, category } = fact
  return event(recipientId, { ...data, reason, bounce, category })
}

function contactEvent(
  fact: Extract<WebhookFact, { contactId: string }>,
  { contacts, lists }: Rows,
  event: (contactId: string | null, data: object) => NewEvent,
): NewEvent | undefined {
  // The row is deleted, so the payload has only the ID.
  if (fact.type === 'contact.deleted') return event(null, { id: fact.contactId })
  const contact = contacts.get(fact.contactId)
  if (!contact) return undefined
  const { isNew, ...data } = contact
  if ('changed' in fact) {
    // Changes of a contact that this transaction created are a part of its creation.
    return isNew ? undefined : event(data.id, changedContact(data, fact.changed))
  }
  switch (fact.type) {
    case 'list.joined':
    case 'list.left': {
      const { id: contactId, email, externalId } = data
      const { listId } = fact
      return event(contactId, { listId, listName: lists.get(listId) ?? null, contactId, email, externalId })
    }
    case 'contact.created':
      return event(data.id, data)
    case 'contact.unsubscribed':
    case 'contact.resubscribed':
      return event(data.id, { ...data, listId: fact.listId })
  }
}

const changedContact = (contact: Omit<ContactPayload, 'isNew'>, changed: readonly ContactField[]) => ({
  ...contact,
  changed: [...changed].toSorted(),
})
