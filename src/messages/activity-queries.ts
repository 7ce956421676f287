import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'

/** Counts the messages of a contact. @returns `undefined` if the workspace has no such contact */
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

/** A link of a message that a person clicked, and when they clicked it first. */
export interface ClickedLink {
  url: string
  at: Date
}

/** Details of a message on a page. */
export interface MessageDetails {
  /** The content; `undefined` if the preceding messages on the page use up the limit. */
  body: { html: string | null; text: string | null } | undefined
  clicks: ClickedLink[]
}

/** Maximum number of clicked links returned for a message, earliest first. */
const MAX_CLICKS = 50

/**
 * Reads the contents of messages in the given order, up to a total size, and their clicked links. Contents beyond the limit are
 * not read, because the sizes are stored in a separate column.
 */
export async function messageDetails(
  em: EntityManager,
  ids: readonly string[],
  bytes: number,
): Promise<Map<string, MessageDetails>> {
  const rows = await preparedSql<{
    id: string
    is_shown: boolean
    html: string | null
    text: string | null
    clicks: { url: string; at: string }[] | null
  }>(em, 'message-details', DETAILS, [ids, bytes, MAX_CLICKS])
  return new Map(
    rows.map(({ id, is_shown: isShown, html, text, clicks }) => [
      id,
      {
        body: isShown ? { html, text } : undefined,
        clicks: (clicks ?? []).map(({ url, at }) => ({ url, at: toDate(at) })),
      },
    ]),
  )
}

/** SQL: whether a transactional email was sent with the content of its request, which is not stored again with the message. */
const HAS_OWN_CONTENT = `email.id = message.id and email.data is null and message.html is null and message.text is null
  and message.status in ('SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED')`

const DETAILS = `
with sized as (
  select message.id, coalesce(sum(
    coalesce(octet_length(message.html), octet_length(email.html), 0) + coalesce(octet_length(message.text), octet_length(email.text), 0)
  ) over (order by place rows between unbounded preceding and 1 preceding), 0) < $2::integer as is_shown
  from unnest($1::uuid[]) with ordinality as wanted(id, place)
  join messages message on message.id = wanted.id left join emails email on ${HAS_OWN_CONTENT}
)
select sized.id, sized.is_shown, coalesce(message.html, email.html) as html, coalesce(message.text, email.text) as text, (
    select jsonb_agg(jsonb_build_object('url', url, 'at', at) order by at, url) from (
      select url, at from message_visits
      where message_id = sized.id and kind = 'CLICK' and visitor = 'PERSON' order by at, url limit $3::integer
    ) visit
  ) as clicks
from sized left join messages message on message.id = sized.id and sized.is_shown left join emails email on ${HAS_OWN_CONTENT}`
