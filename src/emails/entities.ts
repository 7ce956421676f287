import { defineEntity, p } from '@mikro-orm/core'

/** A file that is sent with an email, without its content. */
export interface AttachedFile {
  filename: string
  /** A MIME type with its parameters. */
  contentType: string
  /** For a picture in the HTML; `null` if it has none. */
  contentId: string | null
  /** As the mail that was submitted over SMTP said; `null` for the default. */
  disposition: 'attachment' | 'inline' | null
  /** In bytes. */
  size: number
  /** SHA-256 of the content, in hexadecimal. */
  hash: string
}

const emailTable = defineEntity({
  name: 'TransactionalEmail',
  tableName: 'emails',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    /** The contact who had the address, or the ID that stands for the address: see `addressIdOf`. */
    contactId: p.uuid(),
    recipient: p.text(),
    subject: p.text(),
    html: p.text().nullable(),
    text: p.text().nullable(),
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    data: p.json<Record<string, unknown>>().nullable(),
    sender: p.text().nullable(),
    replyTo: p.text().nullable(),
    headers: p.json<Record<string, string>>(),
    tags: p.array<string>().columnType('text[]'),
    attachments: p.json<AttachedFile[]>(),
    scheduledAt: p.datetime().nullable(),
    cancelledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})

/** A transactional email. Its outcome is in the message with the same ID. */
export class TransactionalEmail extends emailTable.class {}
emailTable.setClass(TransactionalEmail)

const contentTable = defineEntity({
  name: 'AttachmentContent',
  tableName: 'attachment_contents',
  properties: {
    workspaceId: p.uuid().primary(),
    hash: p.blob().primary(),
    content: p.blob(),
    usedAt: p.datetime(),
  },
})

/** The content of an attached file. */
export class AttachmentContent extends contentTable.class {}
contentTable.setClass(AttachmentContent)
