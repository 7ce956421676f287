import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { NIL_ID } from '../platform/ids.ts'
import { conditionSql, type ResolvedCondition } from '../segments/index.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'

/** Locks a segment against deletion. @returns whether the workspace has it */
export async function lockSegment(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(em, 'select from segments where id = $1::uuid and workspace_id = $2::uuid for key share', [
    id,
    workspaceId,
  ])
  return rows.length > 0
}

/** An ACTIVE automation whose trigger is found by a sweep. */
export interface SweptAutomation {
  id: string
  workspaceId: string
  trigger: Extract<Trigger, 'SEGMENT_ENTERED' | 'DATE'>
  triggerKey: string
  triggerConfig: TriggerConfig
  /** For DATE: the instant up to which contacts have been started. */
  startedUntil: Date | null
  /** How far the test clock of the workspace is ahead. */
  clockAheadMinutes: number
}

const COLUMNS = `id, workspace_id, trigger, trigger_key, trigger_config, started_until,
  (select clock_ahead_minutes from workspaces where id = workspace_id) as clock_ahead_minutes`
const IS_SWEPT = `status = 'ACTIVE' and deleted_at is null and trigger in ('SEGMENT_ENTERED', 'DATE') and trigger_key is not null`

export async function sweptAutomations(em: EntityManager): Promise<SweptAutomation[]> {
  const rows = await sql(em, `select ${COLUMNS} from automations where ${IS_SWEPT} order by id`)
  return toObjects<SweptAutomation>(rows, 'startedUntil')
}

/** Locks an automation against updates, and reads it again. @returns `undefined` if it is no longer swept */
export async function lockSwept(em: EntityManager, id: string): Promise<SweptAutomation | undefined> {
  const rows = await sql(em, `select ${COLUMNS} from automations where id = $1::uuid and ${IS_SWEPT} for share`, [id])
  return toObjects<SweptAutomation>(rows, 'startedUntil')[0]
}

type Membership = Pick<SweptAutomation, 'id' | 'workspaceId'> & { at: Date }

/** SQL: whether the row `contact` is a confirmed contact in a segment. */
const isMember = (
  parameters: unknown[],
  { workspaceId, at }: Omit<Membership, 'id'>,
  condition: ResolvedCondition,
): string =>
  `not contact.unconfirmed and contact.workspace_id = $${parameters.push(workspaceId)}::uuid
   and ${conditionSql(condition, parameters, { workspaceId, at })}`

export async function deleteMembers(em: EntityManager, automationId: string): Promise<void> {
  await sql(em, 'delete from segment_members where automation_id = $1::uuid', [automationId])
}

/** Finds known members that have left the segment, or no longer exist. */
export async function findLeftMembers(
  em: EntityManager,
  automation: Membership,
  condition: ResolvedCondition,
  limit: number,
): Promise<string[]> {
  const parameters: unknown[] = [automation.id, limit]
  const rows = await sql<{ id: string }>(
    em,
    `select member.contact_id as id from segment_members member where member.automation_id = $1::uuid and not exists (
       select from contacts contact where contact.id = member.contact_id and ${isMember(parameters, automation, condition)}
     ) limit $2`,
    parameters,
  )
  return rows.map(({ id }) => id)
}

/** Removes known members. */
export async function removeMembers(em: EntityManager, automationId: string, ids: readonly string[]): Promise<void> {
  await sql(em, 'delete from segment_members where automation_id = $1::uuid and contact_id = any($2::uuid[])', [
    automationId,
    ids,
  ])
}

/** Finds contacts in a segment that are not known members, by ID. */
export async function findNewMembers(
  em: EntityManager,
  automation: Membership,
  condition: ResolvedCondition,
  { afterId, limit }: { afterId: string | null; limit: number },
): Promise<string[]> {
  const parameters: unknown[] = [automation.id, limit, afterId ?? NIL_ID]
  const rows = await sql<{ id: string }>(
    em,
    `select contact.id from contacts contact
     where contact.id > $3::uuid and ${isMember(parameters, automation, condition)} and not exists (
       select from segment_members member where member.automation_id = $1::uuid and member.contact_id = contact.id
     ) order by contact.id limit $2`,
    parameters,
  )
  return rows.map(({ id }) => id)
}

/** Makes contacts known members. @returns those that were not */
export async function addMembers(
  em: EntityManager,
  automationId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ contact_id: string }>(
    em,
    `insert into segment_members (automation_id, contact_id) select $1::uuid, id from unnest($2::uuid[]) id order by id
     on conflict do nothing returning contact_id`,
    [automationId, contactIds],
  )
  return rows.map(({ contact_id: id }) => id)
}

/** Locks contacts so that they are not erased. @returns those that exist */
export async function lockExisting(em: EntityManager, contactIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    'select id from contacts where id = any($1::uuid[]) order by id for key share',
    [contactIds],
  )
  return rows.map(({ id }) => id)
}

/** A contact whose field may have a date that is reached. */
export interface Candidate {
  id: string
  value: unknown
  metadata: Record<string, unknown>
  workspaceZone: string
  /** When the contact was created, or its field changed last. */
  writtenAt: Date
}

/**
 * Reads confirmed contacts whose field begins with one of the dates, or has one of the days of the year.
 *
 * @param of.key the key of the metadata; `contact.createdAt` without
 */
export async function findDated(
  em: EntityManager,
  workspaceId: string,
  {
    key,
    dates,
    isYearly,
    afterId,
    limit,
  }: { key: string | undefined; dates: readonly string[]; isYearly: boolean; afterId: string | null; limit: number },
): Promise<Candidate[]> {
  const [value, writtenAt] =
    key === undefined
      ? [`to_char(contact.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`, 'contact.created_at']
      : ['contact.metadata ->> $5', 'greatest(contact.created_at, (contact.dates_written ->> $5)::timestamptz)']
  const rows = await sql(
    em,
    `select contact.id, ${value} as value, contact.metadata, ${writtenAt} as written_at,
       (select timezone from workspaces where id = contact.workspace_id) as workspace_zone
     from contacts contact
     where contact.workspace_id = $1::uuid and not contact.unconfirmed and contact.id > $2::uuid
       and ${isYearly ? `substr(${value}, 6, 5)` : `left(${value}, 10)`} = any($3::text[])
     order by contact.id limit $4`,
    [workspaceId, afterId ?? NIL_ID, dates, limit, ...(key === undefined ? [] : [key])],
  )
  return toObjects<Candidate>(rows, 'writtenAt')
}

/** Moves the instant up to which a DATE automation has started contacts; not if it was activated again in the meantime. */
export async function advanceStartedUntil(
  em: EntityManager,
  { id, startedUntil }: SweptAutomation,
  to: Date,
): Promise<void> {
  await sql(
    em,
    `update automations set started_until = $3::timestamptz where id = $1::uuid and started_until = $2::timestamptz`,
    [id, startedUntil?.toISOString() ?? null, to.toISOString()],
  )
}
