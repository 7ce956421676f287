import { suppressedBy, type SuppressedBy } from '../contacts/index.ts'
import type { EmailCategory, EnrollmentStatus } from '../automation-engine/index.ts'
import type { EndCause } from '../enrollments/index.ts'
import type { MessageStatus } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import type { RefusalReason, Trigger } from '../triggers/index.ts'

/** The most recent enrollment of a contact in an automation. */
export interface LastEnrollment {
  id: string
  version: number
  status: EnrollmentStatus
  paused: boolean
  enrolledAt: Date
  wakesAt: Date | null
  endedAt: Date | null
  endedBy: EndCause | null
  /** The place of the next step, from 1, and the number of steps; `null` if none is known. */
  place: number | null
  stepCount: number
}

/** Reads the most recent enrollment of a contact in an automation. */
export async function lastEnrollmentOf(
  em: EntityManager,
  automationId: string,
  contactId: string,
): Promise<LastEnrollment | undefined> {
  const rows = await sql(
    em,
    `select enrollment.id, enrollment.version, status, paused, enrolled_at, wakes_at, ended_at, ended_by,
       jsonb_array_length(version.steps) as step_count,
       (select place::integer from jsonb_array_elements(version.steps) with ordinality as steps(step, place)
        where step ->> 'id' = enrollment.next_step_id::text) as place
     from enrollments enrollment join automation_versions version using (automation_id, version)
     where automation_id = $1::uuid and contact_id = $2::uuid
     order by status = 'ACTIVE' desc, enrolled_at desc limit 1`,
    [automationId, contactId],
  )
  return toObjects<LastEnrollment>(rows, 'enrolledAt', 'wakesAt', 'endedAt')[0]
}

/** An email of an enrollment, and its message. */
export interface EmailOfEnrollment {
  subject: string
  status: MessageStatus | null
  error: string | null
  sentAt: Date | null
  /** Whether it is in a branch, which the enrollment may not have taken. */
  isInBranch: boolean
}

/** Reads the emails of an enrollment, in the order of their steps. */
export async function emailsOfEnrollment(em: EntityManager, enrollmentId: string): Promise<EmailOfEnrollment[]> {
  const rows = await sql(
    em,
    `select content.subject, step ? 'in' as is_in_branch, message.status, message.error, message.sent_at
     from enrollments enrollment
     join automation_versions version using (automation_id, version)
     cross join lateral jsonb_array_elements(version.steps) with ordinality as steps(step, place)
     join email_contents content on content.automation_id = enrollment.automation_id and content.hash = step ->> 'content'
     left join messages message on message.enrollment_id = enrollment.id and message.step_id::text = step ->> 'id'
     where enrollment.id = $1::uuid and step ->> 'type' = 'EMAIL'
     order by place`,
    [enrollmentId],
  )
  return toObjects<EmailOfEnrollment>(rows, 'sentAt')
}

/** Returns whether the current version of an automation sends marketing emails. */
export async function sendsMarketing(
  em: EntityManager,
  { id, version }: { id: string; version: number },
): Promise<boolean> {
  const rows = await sql(
    em,
    `select from automation_versions version, jsonb_array_elements(version.steps) step
     where version.automation_id = $1::uuid and version.version = $2::integer
       and step ->> 'type' = 'EMAIL' and coalesce(step ->> 'category', 'marketing') = 'marketing'
     limit 1`,
    [id, version],
  )
  return rows.length > 0
}

/** A refused entry. */
export interface LastRefusal {
  rule: RefusalReason
  createdAt: Date
  /** The data of the event, if one would have started the enrollment. */
  data: unknown
}

/** Reads the most recent entry that was refused, unless the automation has another trigger by now. */
export async function lastRefusalOf(
  em: EntityManager,
  { id, trigger, triggerKey }: { id: string; trigger: Trigger; triggerKey?: string | null | undefined },
  contactId: string,
): Promise<LastRefusal | undefined> {
  const rows = await sql(
    em,
    `select rule, refused.created_at, event.data from refused_entries refused
     left join trigger_events event on event.id = refused.event_id
     where automation_id = $1::uuid and refused.contact_id = $2::uuid
       and (event.id is null or (event.type = $3 and coalesce(event.name_key, event.name) = $4))
     order by refused.id desc limit 1`,
    [id, contactId, trigger, triggerKey ?? null],
  )
  return toObjects<LastRefusal>(rows, 'createdAt')[0]
}

/** The last time at which the trigger of an automation happened to a contact. */
export interface LastOccurrence {
  createdAt: Date
  /** Whether the automation listened for it. */
  isHeard: boolean
  /** The data of an event. */
  data: unknown
}

/** Reads when the trigger of an automation last happened to a contact. Only events are recorded if nothing listened for them. */
export async function lastOccurrenceOf(
  em: EntityManager,
  { automationId, contactId, trigger, key }: { automationId: string; contactId: string; trigger: Trigger; key: string },
): Promise<LastOccurrence | undefined> {
  const rows = await sql(
    em,
    `select created_at, data, automation_ids @> array[$1::uuid] or exists (
       select from jsonb_path_query(effects, '$.*[*].automationId') heard where heard #>> '{}' = $1::uuid::text
     ) as is_heard
     from trigger_events
     where contact_id = $2::uuid and type = $3 and (name_key = $4 or (type <> 'EVENT' and name = $4))
     order by created_at desc limit 1`,
    [automationId, contactId, trigger, key],
  )
  return toObjects<LastOccurrence>(rows, 'createdAt')[0]
}

/** Reads when a contact asked to join a list and has not confirmed yet. */
export async function requestTime(em: EntityManager, contactId: string, listId: string): Promise<Date | undefined> {
  const rows = await sql(
    em,
    'select requested_at from confirmation_requests where contact_id = $1::uuid and list_id::text = $2',
    [contactId, listId],
  )
  return toObjects<{ requestedAt: Date }>(rows, 'requestedAt')[0]?.requestedAt
}

/** Returns whether an automation knows a contact as one who is in the segment that starts it. */
export async function isKnownInSegment(em: EntityManager, automationId: string, contactId: string): Promise<boolean> {
  const rows = await sql(em, 'select from segment_members where automation_id = $1::uuid and contact_id = $2::uuid', [
    automationId,
    contactId,
  ])
  return rows.length > 0
}

/** Reads the time at which a contact got a tag. */
export async function tagTime(em: EntityManager, contactId: string, key: string): Promise<Date | undefined> {
  const rows = await sql(em, 'select added_at from contact_tags where contact_id = $1::uuid and tag_key = $2', [
    contactId,
    key,
  ])
  return toObjects<{ addedAt: Date }>(rows, 'addedAt')[0]?.addedAt
}

/** A list or a segment. */
export interface NamedSet {
  id: string
  name: string
  /** For a list: when the contact joined it; `null` if they are not in it. */
  addedAt: Date | null
}

/** Reads lists, and when the contact joined them. */
export async function listsWith(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  ids: readonly string[],
): Promise<NamedSet[]> {
  const rows = await sql(
    em,
    `select list.id, list.name, member.added_at from lists list
     left join list_members member on member.list_id = list.id and member.contact_id = $2::uuid
     where list.workspace_id = $1::uuid and list.id = any($3::uuid[]) order by list.name`,
    [workspaceId, contactId, ids],
  )
  return toObjects<NamedSet>(rows, 'addedAt')
}

/** Reads the names of segments. */
export async function segmentNames(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return sql(em, 'select id, name from segments where workspace_id = $1::uuid and id = any($2::uuid[]) order by name', [
    workspaceId,
    ids,
  ])
}

/** The reason why an address is not emailed, and its time. */
export interface Barrier {
  reason: SuppressedBy
  since: Date | null
}

/** Reads why a contact is not emailed, if so. @param listIds the lists because of which they are emailed */
export async function barrierOf(
  em: EntityManager,
  contactId: string,
  { category, listIds }: { category: EmailCategory; listIds: readonly string[] },
): Promise<Barrier | undefined> {
  const [found] = await sql<{ reason: SuppressedBy; list_id: string | null }>(
    em,
    `select reason, list_id from contacts contact cross join lateral (
       select ${suppressedBy('$2::text', 'null')} as reason, null as list_id
       union all
       select ${suppressedBy('$2::text', 'of.list_id')}, of.list_id from unnest($3::text[]) of (list_id)
     ) barrier
     where contact.id = $1::uuid and reason is not null limit 1`,
    [contactId, category, listIds],
  )
  if (!found) return undefined
  const since = await sql(em, SINCE, [contactId, found.reason, found.list_id])
  return { reason: found.reason, ...toObjects<Pick<Barrier, 'since'>>(since, 'since')[0]! }
}

const SINCE = `
select coalesce(
  (select created_at from suppressions where workspace_id = contact.workspace_id
     and address_hash = address_hash(contact.workspace_id, contact.email_key) and reason = $2),
  (select created_at from list_opt_outs where contact_id = contact.id and list_id::text = $3)
) as since
from contacts contact where contact.id = $1::uuid`

/** The message of a campaign to a contact. */
export interface CampaignMessage {
  id: string
  status: MessageStatus
  error: string | null
  createdAt: Date
  sentAt: Date | null
  /** `null` while it waits for the winner of an A/B test. */
  dueAt: Date | null
  waitsForWinner: boolean
}

/** Reads the message of a campaign to a contact. */
export async function campaignMessage(
  em: EntityManager,
  campaignId: string,
  contactId: string,
): Promise<CampaignMessage | undefined> {
  const rows = await sql(
    em,
    `select id, status, error, created_at, sent_at, nullif(due_at, 'infinity') as due_at,
       coalesce(due_at = 'infinity', false) as waits_for_winner
     from messages
     where campaign_id = $1::uuid and contact_id = $2::uuid`,
    [campaignId, contactId],
  )
  return toObjects<CampaignMessage>(rows, 'createdAt', 'sentAt', 'dueAt')[0]
}

/** The progress of a campaign at a contact: whether it has passed them, and whether they were created in time. */
export interface ReachedContact {
  isReached: boolean
  isInTime: boolean
}

/** Reads whether a campaign has already determined if a contact is a recipient. */
export async function isReachedBy(em: EntityManager, campaignId: string, contactId: string): Promise<ReachedContact> {
  const rows = await sql(
    em,
    `select campaign.materialized or contact.place <= campaign.cursor as is_reached,
       campaign.last_place is null or contact.place <= campaign.last_place as is_in_time
     from campaigns campaign, contacts contact where campaign.id = $1::uuid and contact.id = $2::uuid`,
    [campaignId, contactId],
  )
  return toObjects<ReachedContact>(rows)[0]!
}
