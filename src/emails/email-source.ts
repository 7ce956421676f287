import {
  addressIdOf,
  isAddressId,
  lockAddressesShared,
  lockContactsShared,
  readAddress,
  readRecipients,
  type Recipient,
  suppresses,
  suppressionsOf,
} from '../contacts/index.ts'
import type { EmailRef, MessageRef, MessageSource, SourceContext } from '../messages/index.ts'
import { emailKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ } from '../platform/db/sql.ts'
import { TransactionalEmail } from './entities.ts'
import { readContents } from './queries.ts'

function refOf({ ref }: { ref: MessageRef }): EmailRef {
  if (ref.kind !== 'email') throw new Error('The message is not a transactional email')
  return ref
}

const find = (em: EntityManager, id: string) => em.findOne(TransactionalEmail, { id }, FRESH_READ)

/**
 * Transactional emails. An email goes to the address that it was accepted for, with or without a contact, so the suppressions of
 * the address decide whether it is sent. Locks in the order contact, address.
 *
 * Race: a suppression or an erasure against a claim. Guard: the claim shares the locks of the contact and the address, and reads
 * the suppressions after that; whatever stops it takes one of them exclusively. A cancellation dismisses the message itself, so
 * that the claim fails. Test: test/emails/stops.test.ts.
 */
export const emailSource: MessageSource = {
  async load(em, message): Promise<SourceContext | undefined> {
    const email = await find(em, refOf(message).id)
    if (!email) return undefined
    const { workspaceId, contactId, subject, html = null, text = null, attachments } = email
    return {
      workspaceId,
      contactId,
      automationId: null,
      content: { subject, html, text },
      category: 'transactional',
      onSendFailure: 'CONTINUE',
      listIds: [],
      event: null,
      confirmation: null,
      pauseCount: 0,
      email: {
        data: email.data ?? null,
        from: email.sender ?? null,
        replyTo: email.replyTo ?? null,
        headers: email.headers,
        hasAttachments: attachments.length > 0,
        wantedAt: email.scheduledAt ?? email.createdAt,
      },
    }
  },

  async readAttachments(em, message) {
    const email = await find(em, refOf(message).id)
    const { workspaceId, attachments } = email ?? { workspaceId: message.workspaceId, attachments: [] }
    const hashes = attachments.map(({ hash }) => hash)
    const contents = await readContents(em, workspaceId, hashes)
    return attachments.map(({ filename, contentType, contentId, disposition, hash }) => {
      const content = contents.get(hash)
      if (!content) throw new Error(`The content of an attachment of the email ${message.id} is missing`)
      return { filename, contentType, contentId, disposition, content }
    })
  },

  async readRecipient(em, message): Promise<Recipient | undefined> {
    const email = await find(em, refOf(message).id)
    if (!email) return undefined
    const { workspaceId, contactId, recipient, createdAt } = email
    const contact = isAddressId(contactId)
      ? withoutContact(contactId, createdAt)
      : (await readRecipients(em, workspaceId, [contactId])).get(contactId)
    return contact && { ...contact, ...(await readAddress(em, workspaceId, emailKey(recipient))), email: recipient }
  },

  async lockForClaim(em, messages) {
    const contactIds = messages.map(({ contactId }) => contactId).filter((id) => !isAddressId(id))
    const addresses = messages.map(({ workspaceId, contact }) => ({ workspaceId, key: emailKey(contact.email) }))
    const [contacts, , suppressions] = await Promise.all([
      lockContactsShared(em, contactIds),
      lockAddressesShared(em, addresses),
      suppressionsOf(em, addresses),
    ])
    return messages.filter(({ contactId, suppressedBy }, index) => {
      if (!isAddressId(contactId) && !contacts.has(contactId)) return false
      const isSuppressed = suppressions[index]!.some((reason) => suppresses(reason, 'transactional'))
      return isSuppressed === (suppressedBy !== null)
    })
  },

  lockForDeferral: () => Promise.resolve(new Set()),
}

/** The facts about a recipient who is not a contact. The address and its suppressions are added. */
const withoutContact = (contactId: string, createdAt: Date) => ({
  contactId,
  firstName: null,
  externalId: null,
  metadata: {},
  createdAt,
  consentVersion: 0,
  optOutListIds: [],
  isUnconfirmed: false,
  isInAnyList: false,
})

/** The ID under which the messages to an address are stored: its contact's, or the one that stands for the address. */
export const recipientIdOf = (workspaceId: string, email: string, contactId: string | undefined): string =>
  contactId ?? addressIdOf(workspaceId, emailKey(email))
