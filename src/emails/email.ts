/** The most that the files of one email may have in all, in bytes. Larger mail is often rejected. */
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024
export const MAX_ATTACHMENTS = 20
export const MAX_BATCH = 100
/** The number of days ahead for which an email may be scheduled. */
export const MAX_SCHEDULE_DAYS = 365

/** A transactional email as a request describes it, checked. */
export interface EmailInput {
  to: string
  from?: string | undefined
  replyTo?: string | undefined
  subject?: string | undefined
  html?: string | undefined
  text?: string | undefined
  templateId?: string | undefined
  templateVersion?: number | undefined
  data?: Record<string, unknown> | undefined
  headers?: Record<string, string> | undefined
  attachments?: readonly AttachmentInput[] | undefined
  tags?: readonly string[] | undefined
  scheduledAt?: string | undefined
}

export interface AttachmentInput {
  filename: string
  content: Buffer
  contentType?: string | undefined
  contentId?: string | undefined
  disposition?: 'attachment' | 'inline' | undefined
}
