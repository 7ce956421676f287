import { readGroups, readRecipients, type Recipient, suppressionOf } from '../contacts/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { newId } from '../platform/ids.ts'
import { type EmailContent, usesGroups } from '../rendering/index.ts'
import type { MessageRef, MessageStatus } from './message.ts'
import type { StoredMessage } from './read-queries.ts'
import type { Prepared, SendSettings, SourceContext } from './prepared.ts'
import type { Intent } from './transitions.ts'

/** Statuses in which an earlier attempt may have arrived. */
const MAY_HAVE_ARRIVED: readonly MessageStatus[] = ['UNCONFIRMED', 'SENDING']

/** Combines the data of a message into its send context. */
export function preparedFrom(
  { ref, intent }: { ref: MessageRef; intent: Intent },
  stored: StoredMessage | undefined,
  context: SourceContext,
  recipient: Recipient,
  { workspaceMode, sender, mail }: Pick<SendSettings, 'workspaceMode' | 'sender' | 'mail'>,
): Prepared {
  const { category, listIds, confirmation } = context
  return {
    ...context,
    ref,
    intent,
    id: stored?.id ?? newId(),
    before: stored?.status ?? null,
    attempts: stored?.attempts ?? 0,
    header: stored && MAY_HAVE_ARRIVED.includes(stored.status) ? stored.messageId : null,
    retryAt: stored?.retryAt ?? null,
    abandonedAt: stored?.abandonedAt ?? null,
    contact: recipient,
    consentVersion: recipient.consentVersion,
    suppressedBy:
      suppressionOf(recipient, { category, listIds }) ??
      (confirmation !== null && confirmation.requestId === null ? 'NOT_PENDING' : null),
    workspaceMode,
    sender,
    mail,
  }
}

/** Adds the tags and lists of contacts to the messages of a workspace whose templates use them. */
export async function withGroups(
  em: EntityManager,
  workspaceId: string,
  messages: readonly Prepared[],
): Promise<Prepared[]> {
  // The messages of a campaign share their contents.
  const contents = [...new Set(messages.map(({ content }) => content))].filter(usesGroupsIn)
  const using = messages.filter(({ content }) => contents.includes(content))
  if (using.length === 0) return [...messages]
  const groups = await readGroups(
    em,
    workspaceId,
    using.map(({ contactId }) => contactId),
  )
  return messages.map((message) => ({ ...message, contact: { ...message.contact, ...groups.get(message.contactId) } }))
}

const usesGroupsIn = ({ subject, html, text }: EmailContent): boolean => [subject, html, text].some(usesGroups)

/** Reads the recipient of a message. @returns `undefined` if the contact is deleted */
export async function readRecipient(
  em: EntityManager,
  { workspaceId, contactId }: Pick<StoredMessage, 'workspaceId' | 'contactId'>,
): Promise<Recipient | undefined> {
  return (await readRecipients(em, workspaceId, [contactId])).get(contactId)
}
