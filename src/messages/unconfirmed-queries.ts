import type { MessageKey, MessageStatus } from './message.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import type { EmailCategory, SendFailurePolicy } from '../sequences/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import { senderOf } from '../senders/index.ts'
import { LEASE_SECONDS, MAY_SEND } from './claim-queries.ts'
import type { Drafted } from './compose.ts'
import { type Draft, IN_HER_LANGUAGE, LIST_OF_ENROLLMENT, NOT_ASKED, REQUEST_OF_ENROLLMENT } from './draft-queries.ts'
import { type SuppressedBy, suppressedBy } from '../contacts/index.ts'

/** A message that nobody tries any more and that is not settled; an operator decides what becomes of it. */
export interface UnconfirmedMessage {
  id: string
  /** DEFERRED where it was certainly not sent; else nobody knows. */
  status: 'UNCONFIRMED' | 'SENDING' | 'DEFERRED'
  workspaceId: string
  contactId: string
  /** `null` of a campaign's. */
  automationId: string | null
  /** Its Message-ID header, by which the mail server's log knows it. */
  messageId: string | null
  error: string | null
  claimedAt: string
}

/**
 * Besides what is called so: a claim whose owner is dead and that nobody has looked at since, and a message that was put off
 * and whose enrollment has ended. As long as that is ACTIVE the message is tried again, or waits until its automation sends
 * again, however long it takes. Indexes hold all that these can be.
 */
export const IS_UNCONFIRMED = `
(message.status in ('UNCONFIRMED', 'SENDING', 'DEFERRED')
  and (message.status = 'UNCONFIRMED'
    or (message.status = 'SENDING' and message.lease_until < now() - interval '10 minutes')
    -- A campaign tries its own again.
    or (message.status = 'DEFERRED' and message.campaign_id is null
      and not exists (select from enrollments where id = message.enrollment_id and status = 'ACTIVE'))))`

export async function listUnconfirmed(em: EntityManager, limit: number): Promise<UnconfirmedMessage[]> {
  return sql<UnconfirmedMessage>(
    em,
    `select id, status, workspace_id as "workspaceId", contact_id as "contactId", automation_id as "automationId", message_id as "messageId", error,
       to_char(claimed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "claimedAt"
     from messages message where ${IS_UNCONFIRMED} order by claimed_at limit $1`,
    [limit],
  )
}

/** Leaves a message as it is, for good. @returns whether it was one to decide on. */
export async function dismissUnconfirmed(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `update messages message set status = 'DISMISSED', retry_at = null where id = $1::uuid and ${IS_UNCONFIRMED} returning id`,
    [id],
  )
  return rows.length > 0
}

/** Where a message stands, for who wants to decide on it; `undefined` where there is none. */
export async function standingOf(
  em: EntityManager,
  id: string,
): Promise<{ status: MessageStatus; isToDecide: boolean } | undefined> {
  const [row] = await sql<{ status: MessageStatus; is_to_decide: boolean }>(
    em,
    `select status, ${IS_UNCONFIRMED} as is_to_decide from messages message where id = $1::uuid`,
    [id],
  )
  return row && { status: row.status, isToDecide: row.is_to_decide }
}

/** What it takes to send a message once more, from its step. */
export interface OnceMoreDraft extends Drafted, Pick<Draft, 'consents'> {
  key: MessageKey
  /** `null` of a campaign's. */
  automationId: string | null
  /** The Message-ID that it had, where it may have been sent. */
  header: string | null
  /** What became of it before. */
  before: MessageStatus
  /** Since when somebody wants it tried again, as Postgres prints it. */
  retryAt: string | null
}

/**
 * Looks at a message that may be sent once more, without a lock: the claim asks again.
 * @returns `undefined` when it is not one to decide on, or its automation is gone.
 */
export const draftUnconfirmed = async (em: EntityManager, id: string): Promise<OnceMoreDraft | undefined> =>
  (await draftOnceMore(em, id, { name: 'unconfirmed', sql: IS_UNCONFIRMED })) ??
  (await draftOfCampaign(em, id, { name: 'unconfirmed', sql: IS_UNCONFIRMED }))

/** @param which a condition on a `message` and its `automation`, and its name: whether it may be sent once more */
export async function draftOnceMore(
  em: EntityManager,
  id: string,
  which: { name: string; sql: string },
): Promise<OnceMoreDraft | undefined> {
  // Nine tables take 30 ms to plan.
  const [row] = await preparedSql<{
    automation_id: string
    status: MessageStatus
    message_id: string | null
    attempts: number
    retry_at: string | null
    on_send_failure: SendFailurePolicy
    enrollment_id: string
    step_id: string
    visit: number
    workspace_id: string
    mode: WorkspaceMode
    contact_id: string
    consents: number
    category: EmailCategory | null
    suppressed_by: SuppressedBy | null
    sender: Draft['sender']
    email: string
    first_name: string | null
    metadata: Record<string, unknown>
    event: Draft['event']
    list_request_id: string | null
    mail: Draft['mail']
    subject: string
    html: string | null
    text: string | null
  }>(em, `draft-${which.name}`, `${DRAFT} and ${which.sql}`, [id])
  if (!row) return undefined
  return {
    key: { enrollmentId: row.enrollment_id, stepId: row.step_id, visit: row.visit },
    automationId: row.automation_id,
    before: row.status,
    // By that it may be known already.
    header: MAY_BE_KNOWN.includes(row.status) ? row.message_id : null,
    retryAt: row.retry_at,
    attempts: row.attempts,
    onSendFailure: row.on_send_failure,
    workspaceId: row.workspace_id,
    workspaceMode: row.mode,
    content: { subject: row.subject, html: row.html, text: row.text },
    category: row.category ?? 'marketing',
    contactId: row.contact_id,
    consents: row.consents,
    suppressedBy: row.suppressed_by,
    sender: row.sender,
    contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
    event: row.event,
    listRequestId: row.list_request_id,
    mail: row.mail,
  }
}

const MAY_BE_KNOWN: readonly MessageStatus[] = ['UNCONFIRMED', 'SENDING']

const DRAFT = `
select message.enrollment_id, message.step_id, message.visit, message.workspace_id, message.automation_id, message.status,
  message.message_id, message.attempts, message.retry_at, automation.on_send_failure, workspace.mode, contact.id as contact_id,
  contact.consents, contact.email, step.category,
  coalesce(${suppressedBy('step.category', LIST_OF_ENROLLMENT)}, ${NOT_ASKED}) as suppressed_by, ${REQUEST_OF_ENROLLMENT} as list_request_id,
  ${senderOf('workspace.id')} as sender,
  contact.first_name, contact.metadata, enrollment.event, content.subject, content.html, content.text,
  (select mail from installation) as mail
from messages message
join enrollments enrollment on enrollment.id = message.enrollment_id
join automations automation on automation.id = enrollment.automation_id and automation.deleted_at is null
join automation_versions version
  on version.automation_id = enrollment.automation_id and version.version = enrollment.version
cross join lateral (
  select step ->> 'id' as id, step ->> 'content' as hash, step ->> 'category' as category
  from jsonb_array_elements(version.steps) step
) step
join contacts contact on contact.id = enrollment.contact_id
join email_contents base on base.automation_id = enrollment.automation_id and base.hash = step.hash
join email_contents content on content.automation_id = enrollment.automation_id and content.hash = ${IN_HER_LANGUAGE}
join workspaces workspace on workspace.id = enrollment.workspace_id
where message.id = $1::uuid and step.id = message.step_id::text`

/**
 * The same of a campaign's message.
 * @param which a condition on a `message` and its `campaign`, and its name: whether it may be sent once more
 */
export async function draftOfCampaign(
  em: EntityManager,
  id: string,
  which: { name: string; sql: string },
): Promise<OnceMoreDraft | undefined> {
  const [row] = await preparedSql<{
    campaign_id: string
    status: MessageStatus
    message_id: string | null
    attempts: number
    retry_at: string | null
    workspace_id: string
    mode: WorkspaceMode
    contact_id: string
    consents: number
    category: EmailCategory
    suppressed_by: SuppressedBy | null
    sender: Draft['sender']
    email: string
    first_name: string | null
    metadata: Record<string, unknown>
    mail: Draft['mail']
    content: Draft['content']
  }>(em, `draft-of-campaign-${which.name}`, `${DRAFT_OF_CAMPAIGN} and ${which.sql}`, [id])
  if (!row) return undefined
  return {
    key: { enrollmentId: row.campaign_id, stepId: row.contact_id, visit: 0 },
    automationId: null,
    before: row.status,
    header: MAY_BE_KNOWN.includes(row.status) ? row.message_id : null,
    retryAt: row.retry_at,
    attempts: row.attempts,
    onSendFailure: 'CONTINUE',
    workspaceId: row.workspace_id,
    workspaceMode: row.mode,
    content: row.content,
    category: row.category,
    contactId: row.contact_id,
    consents: row.consents,
    suppressedBy: row.suppressed_by,
    sender: row.sender,
    contact: { email: row.email, firstName: row.first_name, metadata: row.metadata },
    event: null,
    listRequestId: null,
    mail: row.mail,
  }
}

/** Of rows `contact`, `campaign` and `message`: what it says, in her variant of it, in her language, or in its own. */
const CONTENT_OF_CAMPAIGN = `(
    select jsonb_build_object('subject', said.subject, 'html', said.html, 'text', said.text)
    from campaign_contents said,
      lower(replace(coalesce(contact.metadata ->> 'locale', ''), '_', '-')) as wanted
    where said.campaign_id = campaign.id and said.variant = coalesce(message.variant, 0)
      and said.locale in (wanted, split_part(wanted, '-', 1), '')
    order by length(said.locale) desc limit 1
  )`

/**
 * Of a row `contact` and a row `campaign`: why she is not sent it, or null. Who has left one of its lists by herself, and is in no other
 * of them, is not mailed, also where a segment of its audience has her; nor who has left a list in which everybody was for whom its
 * segments have meant it: `required_lists`, as they were when she was written down. Where it has lists besides, she may have left it before.
 */
export const SUPPRESSED_FOR_CAMPAIGN = `coalesce(${suppressedBy('campaign.category', 'null::text')}, case
    when campaign.category is distinct from 'transactional'
      and exists (
        select from list_opt_outs out
        where out.contact_id = contact.id and (
          campaign.audience -> 'listIds' ? out.list_id::text
          or (
            select required -> 'listIds' from jsonb_array_elements(campaign.required_lists) with ordinality as page(required, n)
            where contact.place <= coalesce((required ->> 'upTo')::bigint, contact.place) order by n limit 1
          ) ? out.list_id::text
            and (jsonb_array_length(campaign.audience -> 'listIds') = 0 or out.created_at >= campaign.started_at)
            and not exists (select from list_members where list_id = out.list_id and contact_id = contact.id)
        )
      )
      and not exists (
        select from list_members member
        where member.contact_id = contact.id and campaign.audience -> 'listIds' ? member.list_id::text
      )
    then 'LEFT_LIST'
  end)`

const DRAFT_OF_CAMPAIGN = `
select message.campaign_id, message.workspace_id, message.status, message.message_id, message.attempts, message.retry_at,
  workspace.mode, contact.id as contact_id, contact.consents, campaign.category,
  ${SUPPRESSED_FOR_CAMPAIGN} as suppressed_by, ${senderOf('workspace.id')} as sender, contact.email, contact.first_name, contact.metadata,
  ${CONTENT_OF_CAMPAIGN} as content, (select mail from installation) as mail
from messages message
join campaigns campaign on campaign.id = message.campaign_id
join contacts contact on contact.id = message.contact_id
join workspaces workspace on workspace.id = message.workspace_id
where message.id = $1::uuid`

export interface Reclaimed {
  /** Whether it had certainly not been sent before. */
  wasDeferred: boolean
  /** Since when somebody wants it tried again, as Postgres prints it. */
  retryAt: string | null
}

/**
 * Claims a message to be sent once more.
 *
 * @param recipient the address that its draft had, its `consents` and its Message-ID; `null` where nothing goes there
 * @returns `undefined` when it is not one to decide on, its automation is gone, its contact has another address by now, or mail is
 *   held since.
 */
export async function reclaimUnconfirmed(
  em: EntityManager,
  id: string,
  claim: string,
  { recipient, consents, header }: { recipient: string | null; consents: number | null; header: string | null },
): Promise<Reclaimed | undefined> {
  const [row] = await sql<{ was_deferred: boolean; retry_at: string | null }>(em, RECLAIM, [
    id,
    claim,
    LEASE_SECONDS,
    recipient,
    header,
    consents,
  ])
  return row && { wasDeferred: row.was_deferred, retryAt: row.retry_at }
}

/** Under the same locks as a claim: a DELETE or an erasure waits for it, or it finds nothing. */
const RECLAIM = `
with automation as (
  select id from automations
  where id = (select automation_id from messages where id = $1::uuid) and deleted_at is null for share
),
campaign as (
  select id from campaigns where id = (select campaign_id from messages where id = $1::uuid) for share
),
source as (select id from automation union all select id from campaign),
contact as (
  select id from contacts
  where id = (select contact_id from messages where id = $1::uuid) and ($4::text is null or email = $4::text and consents = $6::integer)
  for share
)
update messages message
set status = 'SENDING', claim = $2::uuid, attempts = message.attempts + 1, claimed_at = now(), error = null,
  retry_at = null, lease_until = clock_timestamp() + make_interval(secs => $3::float8),
  message_id = case when before.status in ('UNCONFIRMED', 'SENDING') then coalesce(before.message_id, $5::text) else $5::text end
from messages before
join source on source.id = coalesce(before.automation_id, before.campaign_id)
join contact on contact.id = before.contact_id
where message.id = $1::uuid and before.id = message.id and before.status = message.status and ${IS_UNCONFIRMED}
  and ${MAY_SEND}
returning before.status = 'DEFERRED' as was_deferred, before.retry_at`
