import { foldName } from '../triggers/index.ts'
import { isId } from '../platform/ids.ts'
import { type Bind, compareJson, jsonKey } from './comparison-sql.ts'
import type { Activity, ActivityPart, EventPart, MessageCondition, MessagePart } from './condition.ts'
import { DAY_MS } from './duration.ts'

/** How subqueries about the row `contact` are compiled. */
export interface LookUp {
  bind: Bind
  /** The placeholder of the workspace's ID. Bound on use, because Postgres rejects unused values. */
  workspaceId: () => string
  instant: Date
  /** The end of each subquery: `offset 0`, or nothing. See `fenceOf` in `condition-sql.ts`. */
  fence: string
}

const exists = ({ fence }: LookUp, rest: string): string => `exists (select ${rest} ${fence})`

export const hasTag = (lookUp: LookUp, tag: string): string =>
  exists(
    lookUp,
    `from contact_tags tag where tag.contact_id = contact.id and tag.workspace_id = ${lookUp.workspaceId()}
       and tag.tag_key = ${lookUp.bind(foldName(tag))}`,
  )

export const isInList = (lookUp: LookUp, listId: string): string =>
  isId(listId)
    ? exists(
        lookUp,
        `from list_members member where member.contact_id = contact.id and member.list_id = ${lookUp.bind(listId)}::uuid`,
      )
    : 'false'

/** @param where compiles the condition on the data of the row `event` */
export function didEvent(lookUp: LookUp, part: EventPart, where: string): string {
  const { bind, workspaceId, instant } = lookUp
  const { atMost, atLeast = atMost === undefined ? 1 : 0 } = part
  if (atLeast === 0 && atMost === undefined) return 'true'
  const events = `
    from trigger_events event
    where event.workspace_id = ${workspaceId()} and event.type = 'EVENT' and ${isNamed(bind, part.event)}
      ${within(lookUp, 'event.created_at', part.withinDays)}
      ${part.data === undefined ? '' : `and ${compareJson(bind, instant, jsonKey(bind, 'event.data', part.data), part)}`}
      ${where === '' ? '' : `and ${where}`}`
  // Grouped in a subquery, so that Postgres may count the events of all contacts in one pass over an index.
  const counted = (having: string): string =>
    exists(
      lookUp,
      `from (
         select event.contact_id ${events} group by event.contact_id having ${having}
       ) counted where counted.contact_id = contact.id`,
    )
  const once = (): string => exists(lookUp, `${events} and event.contact_id = contact.id`)
  if (atMost === undefined) return atLeast === 1 ? once() : counted(`count(*) >= ${bind(atLeast)}::bigint`)
  // A contact without such events is in no group.
  if (atLeast === 0) return `not ${atMost === 0 ? once() : counted(`count(*) > ${bind(atMost)}::bigint`)}`
  return counted(`count(*) between ${bind(atLeast)}::bigint and ${bind(atMost)}::bigint`)
}

const MAX_INDEXED_NAME_BYTES = 1_000

/** The second condition is always true. With it, Postgres can use the index of events by name. */
function isNamed(bind: Bind, name: string): string {
  const key = foldName(name)
  const isIndexed = Buffer.byteLength(key) <= MAX_INDEXED_NAME_BYTES
  return `event.name_key = ${bind(key)}${isIndexed ? ` and octet_length(event.name_key) <= ${MAX_INDEXED_NAME_BYTES}` : ''}`
}

/** An ID that does not exist or cannot exist is one of no message. */
export function hasActivity(lookUp: LookUp, { activity, automation, campaign, withinDays }: ActivityPart): string {
  const { bind, workspaceId } = lookUp
  if ([automation, campaign].some((id) => id !== undefined && !isId(id))) return 'false'
  return exists(
    lookUp,
    `from messages message
     where message.contact_id = contact.id and message.workspace_id = ${workspaceId()}
       ${activityOf(lookUp, activity, withinDays)}
       ${automation === undefined ? '' : `and message.automation_id = ${bind(automation)}::uuid`}
       ${campaign === undefined ? '' : `and message.campaign_id = ${bind(campaign)}::uuid`}`,
  )
}

/** Opens and clicks count from their own time, not from the time of the message. */
function activityOf(lookUp: LookUp, activity: Activity, withinDays: number | undefined): string {
  if (activity === 'OPENED')
    return `and message.opened_at is not null ${within(lookUp, 'message.opened_at', withinDays)}`
  if (activity === 'CLICKED')
    return `and message.clicked_at is not null ${within(lookUp, 'message.clicked_at', withinDays)}`
  return `and message.status = ${lookUp.bind(activity)} ${within(lookUp, 'message.created_at', withinDays)}`
}

const MESSAGE_SQL: Readonly<Record<MessageCondition, string>> = {
  // A test workspace captures the emails that it would send.
  sent: `message.status in ('SENT', 'CAPTURED')`,
  opened: 'message.opened_at is not null',
  clicked: 'message.clicked_at is not null',
  bounced: `exists (
    select from bounces bounce where bounce.message_id = message.id and bounce.kind in ('HARD', 'SOFT', 'BLOCKED')
  )`,
}

export function hasMessage(lookUp: LookUp, { message, is }: MessagePart): string {
  if (!isId(message)) return 'false'
  const id = `${lookUp.bind(message)}::uuid`
  return exists(
    lookUp,
    `from messages message
     where message.contact_id = contact.id and message.workspace_id = ${lookUp.workspaceId()}
       and (message.step_id = ${id} or message.campaign_id = ${id}) and ${MESSAGE_SQL[is]}`,
  )
}

// Without an upper limit: rows that exist were written before the instant, or by a clock that is ahead of this one.
function within({ bind, instant }: LookUp, column: string, days: number | undefined): string {
  if (days === undefined) return ''
  return `and ${column} > ${bind(new Date(instant.getTime() - days * DAY_MS).toISOString())}::timestamptz`
}
