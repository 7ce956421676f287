import { createHash } from 'node:crypto'
import { detectMimeType } from 'nodemailer/lib/mime-funcs/mime-types'
import { contactsByKey } from '../contacts/index.ts'
import { queueEmails } from '../messages/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { readMailSender } from '../instance/index.ts'
import { domainOf, emailKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sharedWriter } from '../platform/db/shared-writer.ts'
import { inTransaction } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { localeFallbacks } from '../platform/locale.ts'
import { timestampForPostgres } from '../platform/timestamp.ts'
import type { EmailContent, UsedVariable } from '../rendering/index.ts'
import { isOwnFrom, readSender } from '../senders/index.ts'
import { type CompiledContents, getTemplate, TEMPLATE_NOT_FOUND } from '../templates/index.ts'
import { assertDataComplete, unusedData } from './check-data.ts'
import type { EmailInput } from './email.ts'
import { recipientIdOf } from './email-source.ts'
import { acceptedDetail, type EmailDetail } from './get-email.ts'
import type { AttachedFile } from './entities.ts'
import { FROM_NOT_ALLOWED } from './errors.ts'
import { type EmailRow, insertEmails, storeContents } from './queries.ts'

/** An email of a batch: accepted, perhaps with warnings, or the reason why not. */
export type Queued = { id: string; warnings: readonly string[] } | { error: string }

/** A database, with or without a transaction. */
type Database = Pick<Dependencies, 'em'>

/**
 * Accepts a transactional email, in a transaction that it shares with those of concurrent requests. One whose ID was accepted before is
 * not sent again.
 * @returns the email, and warnings about data that its template does not use
 * @throws {ApiError} `template_not_found`; `variable_missing`; `from_not_allowed`
 */
export async function queueEmail(
  { em }: Database,
  workspaceId: string,
  input: EmailInput,
  id: string,
): Promise<{ detail: EmailDetail; warnings: readonly string[] }> {
  const queued = await queueShared(em, { workspaceId, id, input })
  if (queued instanceof ApiError) throw queued
  return { detail: acceptedDetail(queued.row), warnings: queued.warnings }
}

const queueShared = sharedWriter<Requested & { workspaceId: string }, Stored | ApiError>(
  ({ workspaceId }) => workspaceId,
  (em, emails) => inTransaction(em, (unit) => queueEach(unit, emails[0]!.workspaceId, emails)),
)

/**
 * Accepts emails, all or none. One whose ID was accepted before is not sent again.
 * @throws {ApiError} `template_not_found`; `variable_missing`; `from_not_allowed`
 */
export async function queueTogether(
  { em }: Database,
  workspaceId: string,
  emails: readonly { id: string; input: EmailInput }[],
): Promise<EmailDetail[]> {
  return inTransaction(em, async (unit) => {
    const results = await queueEach(unit, workspaceId, emails)
    return results.map((result) => {
      if (result instanceof ApiError) throw result
      return acceptedDetail(result.row)
    })
  })
}

/** Accepts the emails of a batch, each on its own: the others are sent if one has an error. */
export async function queueBatch(
  { em }: Database,
  workspaceId: string,
  inputs: readonly EmailInput[],
): Promise<Queued[]> {
  const emails = inputs.map((input) => ({ id: newId(), input }))
  const results = await inTransaction(em, (unit) => queueEach(unit, workspaceId, emails))
  return results.map((result) =>
    result instanceof ApiError ? { error: result.message } : { id: result.row.id, warnings: result.warnings },
  )
}

/** An email of a request. The ID is that of its call. */
interface Requested {
  id: string
  input: EmailInput
}

interface Accepted extends Requested {
  content: LoadedContent
}

/** An email as it was stored. */
interface Stored {
  row: EmailRow
  /** In ASCII, for a header. */
  warnings: readonly string[]
}

/** The content of an email. `version` is that of its template. */
interface LoadedContent {
  compiled: CompiledContents
  version: number | null
  /** The variables that its template uses. */
  variables: readonly UsedVariable[]
}

/** Stores emails, and queues them. @returns the row of each, or why it is not accepted */
async function queueEach(
  unit: EntityManager,
  workspaceId: string,
  emails: readonly Requested[],
): Promise<(Stored | ApiError)[]> {
  const load = createContentLoader(unit, workspaceId)
  const loaded: (Accepted | ApiError)[] = []
  for (const email of emails) {
    try {
      const content = await load(email.input)
      if (email.input.templateId !== undefined) assertDataComplete(content.variables, email.input.data ?? {})
      loaded.push({ ...email, content })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      loaded.push(error)
    }
  }
  const rows = await queue(
    unit,
    workspaceId,
    loaded.filter((each): each is Accepted => !(each instanceof ApiError)),
  )
  return loaded.map((each) =>
    each instanceof ApiError
      ? each
      : {
          row: rows.find(({ id }) => id === each.id)!,
          warnings: unusedData(each.content.variables, each.input.data ?? {}),
        },
  )
}

/** Stores emails, and queues them. @returns their rows */
async function queue(unit: EntityManager, workspaceId: string, emails: readonly Accepted[]): Promise<EmailRow[]> {
  if (emails.length === 0) return []
  const createdAt = new Date().toISOString()
  const keys = emails.map(({ input }) => emailKey(input.to))
  const contacts = await contactsByKey(unit, workspaceId, keys)
  const contents = new Map<string, Buffer>()
  const rows = emails.map(({ id, input, content }, index): EmailRow => {
    const contact = contacts.get(keys[index]!)
    return {
      id,
      workspaceId,
      contact_id: recipientIdOf(workspaceId, input.to, contact?.id),
      recipient: input.to,
      ...inLanguage(content.compiled, contact?.locale ?? ''),
      template_id: input.templateId ?? null,
      template_version: content.version,
      data: input.templateId === undefined ? null : (input.data ?? {}),
      sender: input.from ?? null,
      reply_to: input.replyTo ?? null,
      headers: input.headers ?? {},
      tags: input.tags ?? [],
      attachments: filesOf(input, contents),
      scheduled_at: input.scheduledAt === undefined ? null : timestampForPostgres(input.scheduledAt),
      created_at: createdAt,
    }
  })
  if (contents.size > 0) await storeContents(unit, workspaceId, contents)
  const inserted = await insertEmails(unit, workspaceId, rows)
  const queued = rows.filter(({ id }) => inserted.has(id))
  await queueEmails(
    unit,
    workspaceId,
    queued.map(({ id, contact_id, recipient, subject, scheduled_at: due_at }) => ({
      id,
      contact_id,
      recipient,
      subject,
      due_at,
    })),
  )
  return rows
}

/** Returns a function that checks the sender of an email and loads its content, each sender and template once. */
function createContentLoader(unit: EntityManager, workspaceId: string): (input: EmailInput) => Promise<LoadedContent> {
  const checkSender = once((from: string) => assertMaySendFrom(unit, workspaceId, from))
  const loadTemplate = once(async (key: string): Promise<LoadedContent> => {
    const [id, version] = JSON.parse(key) as [string, number | undefined]
    const { template, written } = await getTemplate(unit, workspaceId, id, version ?? undefined)
    if (template.kind !== 'EMAIL' || written.compiled.content === null)
      throw new ApiError(TEMPLATE_NOT_FOUND, { param: '/templateId' })
    return { compiled: written.compiled, version: written.version, variables: written.variables }
  })
  return async ({ from, subject = '', html = null, text = null, templateId, templateVersion }) => {
    if (from !== undefined) await checkSender(from)
    if (templateId !== undefined) return loadTemplate(JSON.stringify([templateId, templateVersion]))
    return { compiled: { content: { subject, html, text }, translations: {} }, version: null, variables: [] }
  }
}

/** Runs a function once for each key. */
function once<Result>(run: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  const results = new Map<string, Promise<Result>>()
  return (key) => {
    const result = results.get(key) ?? run(key)
    results.set(key, result)
    return result
  }
}

/** @throws {ApiError} `from_not_allowed` */
async function assertMaySendFrom(unit: EntityManager, workspaceId: string, from: string): Promise<void> {
  const own = (await readSender(unit, workspaceId))?.address ?? null
  if (isOwnFrom(from, { workspace: own, instance: own === null ? await readMailSender(unit) : null })) return
  throw new ApiError(FROM_NOT_ALLOWED, {
    message:
      own === null
        ? 'from must be the address in MAIL_FROM, unless the workspace has its own sender. ' +
          'An owner sets it in the dashboard under Sender'
        : `from must be an address at ${domainOf(own)}, the domain of the workspace's sender`,
    param: '/from',
  })
}

/** The content in a language, or one that it falls back to, or else the template's own. */
function inLanguage({ content, translations }: CompiledContents, locale: string): EmailContent {
  const translated = Object.entries(translations).map(([name, each]) => [name.toLowerCase(), each] as const)
  const found = localeFallbacks(locale).flatMap((name) => translated.find(([is]) => is === name)?.[1] ?? [])
  return found[0] ?? content!
}

/** Describes the files of an email. @param contents their contents are added to it, by hash */
function filesOf({ attachments = [] }: EmailInput, contents: Map<string, Buffer>): AttachedFile[] {
  return attachments.map(({ filename, content, contentType, contentId = null, disposition = null }) => {
    const hash = createHash('sha256').update(content).digest('hex')
    contents.set(hash, content)
    return {
      ...{ filename, contentId, disposition, size: content.length, hash },
      contentType: contentType ?? detectMimeType(filename),
    }
  })
}
