import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'

/** How many messages a contact has. @returns `undefined` when the workspace has no such contact. */
export async function countMessages(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
): Promise<number | undefined> {
  const [row] = await sql<{ total: number }>(
    em,
    `select (select count(*) from messages message where message.contact_id = contact.id)::float8 as total
     from contacts contact where contact.id = $2::uuid and contact.workspace_id = $1::uuid`,
    [workspaceId, contactId],
  )
  return row?.total
}

/** What messages say, in the order given, until that has so many bytes. Of the rest nothing is read: the sizes are kept apart. */
export async function messageBodies(
  em: EntityManager,
  ids: readonly string[],
  bytes: number,
): Promise<Map<string, { html: string | null; text: string | null }>> {
  const rows = await preparedSql<{ id: string; html: string | null; text: string | null }>(
    em,
    'message-bodies',
    BODIES,
    [ids, bytes],
  )
  return new Map(rows.map(({ id, ...body }) => [id, body]))
}

const BODIES = `
with sized as (
  select message.id, sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)) over (
    order by place rows between unbounded preceding and 1 preceding
  ) as before
  from unnest($1::uuid[]) with ordinality as wanted(id, place)
  join messages message on message.id = wanted.id
)
select message.id, message.html, message.text
from sized join messages message on message.id = sized.id
where coalesce(sized.before, 0) < $2::integer`

/** A link of a message that a person has followed, and when first. */
export interface ClickedLink {
  messageId: string
  url: string
  at: Date
}

/** Of each message the first that were followed. */
const MOST_CLICKS = 50

export async function clickedLinks(em: EntityManager, messageIds: readonly string[]): Promise<ClickedLink[]> {
  const rows = await sql<{ message_id: string; url: string; at: string }>(
    em,
    `select visit.message_id, visit.url, visit.at from unnest($1::uuid[]) as wanted(id)
     cross join lateral (
       select * from message_visits
       where message_id = wanted.id and kind = 'CLICK' and visitor = 'PERSON' order by at, url limit $2::integer
     ) visit`,
    [messageIds, MOST_CLICKS],
  )
  return rows.map(({ message_id: messageId, url, at }) => ({ messageId, url, at: toDate(at) }))
}
