import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** An exported object, mostly as the API presents it. */
export type Document = Record<string, unknown>

/** SQL of a list of objects, `[]` if there are none. */
const all = (fields: string, from: string, order: string): string =>
  `coalesce((select jsonb_agg(jsonb_build_object(${fields}) order by ${order}) from ${from}), '[]')`

/** SQL of the parts of a row `contact` that are always small. */
const HEAD_OF_CONTACT = `jsonb_build_object(
  'id', contact.id, 'email', contact.email, 'externalId', contact.external_id, 'firstName', contact.first_name,
  'metadata', contact.metadata, 'createdAt', contact.created_at, 'updatedAt', contact.updated_at,
  'formerEmails', ${all(`'email', email, 'until', until`, 'former_addresses where contact_id = contact.id', 'until')},
  'tags', ${all(`'name', name, 'addedAt', added_at`, 'contact_tags where contact_id = contact.id', 'name')},
  'lists', ${all(
    `'id', list.id, 'name', list.name, 'addedAt', member.added_at`,
    'list_members member join lists list on list.id = member.list_id where member.contact_id = contact.id',
    'list.name, list.id',
  )},
  'listsLeft', ${all(
    `'id', list.id, 'name', list.name, 'leftAt', gone.created_at`,
    'list_opt_outs gone join lists list on list.id = gone.list_id where gone.contact_id = contact.id',
    'list.name, list.id',
  )},
  'listsToConfirm', ${all(
    `'id', list.id, 'name', list.name, 'requestedAt', request.requested_at`,
    'confirmation_requests request join lists list on list.id = request.list_id where request.contact_id = contact.id',
    'list.name, list.id',
  )},
  'suppressions', ${all(
    `'reason', reason, 'note', note, 'createdAt', created_at`,
    `suppressions where workspace_id = contact.workspace_id
       and address_hash = address_hash(contact.workspace_id, contact.email_key)`,
    'created_at',
  )}
)`

/** A part of a contact that can be large and is read in pages. */
interface Part {
  fields: string
  from: string
  order: readonly (readonly [column: string, type: string])[]
}

const BY_AGE = [
  ['created_at', 'timestamptz'],
  ['id', 'uuid'],
] as const

/** The parts, as `from` of a row `contact` or of a contact ID. */
const PARTS = {
  events: {
    fields: `'type', type, 'name', name, 'data', data, 'source', source, 'createdAt', created_at`,
    from: 'trigger_events where contact_id',
    order: BY_AGE,
  },
  enrollments: {
    fields: `'id', id, 'automationId', automation_id, 'version', version, 'status', status, 'enrolledAt', enrolled_at, 'endedAt', ended_at`,
    from: 'enrollments where contact_id',
    order: [
      ['enrolled_at', 'timestamptz'],
      ['id', 'uuid'],
    ],
  },
  messages: {
    fields: `'id', id, 'messageId', message_id, 'to', recipient, 'subject', subject, 'status', status, 'automationId', automation_id,
      'campaignId', campaign_id, 'error', error, 'createdAt', created_at, 'sentAt', sent_at, 'deliveredAt', delivered_at,
      'openedAt', opened_at, 'clickedAt', clicked_at,
      'unsubscribedAt', unsubscribed_at`,
    from: 'messages where contact_id',
    order: BY_AGE,
  },
  visits: {
    fields: `'messageId', visit.message_id, 'kind', kind, 'url', url, 'at', at, 'visits', visits, 'visitor', visitor`,
    from: 'message_visits visit join messages message on message.id = visit.message_id where message.contact_id',
    order: [
      ['at', 'timestamptz'],
      ['visit.message_id', 'uuid'],
      ['kind', 'text'],
      ['url', 'text'],
    ],
  },
  bounces: {
    fields: `'kind', kind, 'category', category, 'status', status, 'diagnostic', diagnostic,
      'providerVerdict', provider_verdict, 'source', source, 'createdAt', created_at`,
    from: 'bounces where contact_id',
    order: BY_AGE,
  },
} as const satisfies Record<string, Part>
export type PartName = keyof typeof PARTS
export const PART_NAMES = Object.keys(PARTS) as PartName[]

/** The number of items of each part that are read with the contact. If there are as many, more may follow. */
export const FIRST_PAGE_ITEMS = 10
const FIRST_OF_PARTS = `jsonb_build_object(${PART_NAMES.map((name) => {
  const { fields, from, order }: Part = PARTS[name]
  const by = order.map(([column]) => column).join(', ')
  const first = `select jsonb_build_object(${fields}) as item from ${from} = contact.id order by ${by} limit ${FIRST_PAGE_ITEMS}`
  return `'${name}', (select coalesce(jsonb_agg(item), '[]') from (${first}) first)`
}).join(', ')})`

/** Reads the small parts of a contact; `undefined` if the workspace has no such contact. */
export async function readContactHead(
  em: EntityManager,
  workspaceId: string,
  id: string,
): Promise<Document | undefined> {
  const [row] = await sql<{ document: Document }>(
    em,
    `select ${HEAD_OF_CONTACT} as document from contacts contact where id = $2::uuid and workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  return row?.document
}

export interface PartItem {
  document: Document
  /** The cursor of the item. */
  place: string[]
}

/** A page of a part of a contact, after a cursor. */
export function pageOfPart(
  em: EntityManager,
  contactId: string,
  name: PartName,
  { after, limit }: { after: readonly string[] | undefined; limit: number },
): Promise<PartItem[]> {
  const { fields, from, order }: Part = PARTS[name]
  const columns = order.map(([column]) => column).join(', ')
  const place = order.map(([, type], n) => `$${n + 3}::${type}`).join(', ')
  return sql(
    em,
    `select jsonb_build_object(${fields}) as document, array[${order.map(([column]) => `${column}::text`).join(', ')}] as place
     from ${from} = $1::uuid ${after ? `and (${columns}) > (${place})` : ''} order by ${columns} limit $2`,
    [contactId, limit, ...(after ?? [])],
  )
}

/** The kinds of objects in a workspace export, in their order. */
export const KINDS = [
  'workspace',
  'list',
  'segment',
  'template',
  'automation',
  'campaign',
  'suppression',
  'contact',
] as const
export type Kind = (typeof KINDS)[number]

/** For each kind, SQL of its document and of its source. Its ID is `item.id`. */
const SOURCES: Readonly<Record<Kind, { document: string; from: string; of?: string }>> = {
  workspace: {
    document: `jsonb_build_object('id', item.id, 'name', item.name, 'mode', item.mode, 'timezone', item.timezone,
      'eventRetentionDays', item.event_retention_days,
      'contentRetentionDays', item.content_retention_days, 'historyRetentionDays', item.history_retention_days, 'createdAt', item.created_at)`,
    from: 'workspaces item',
    of: 'item.id',
  },
  list: {
    document: `jsonb_build_object('id', item.id, 'name', item.name, 'description', item.description, 'public', item.public,
      'doubleOptIn', item.double_opt_in, 'createdAt', item.created_at)`,
    from: 'lists item',
  },
  segment: {
    document: `jsonb_build_object('id', item.id, 'name', item.name, 'condition', item.condition, 'createdAt', item.created_at)`,
    from: 'segments item',
  },
  template: {
    document: `jsonb_build_object('id', item.id, 'kind', item.kind, 'name', item.name, 'version', item.version,
      'source', (select source from template_versions where template_id = item.id and version = item.version),
      'createdAt', item.created_at)`,
    from: 'templates item',
  },
  automation: {
    document: `jsonb_build_object('id', item.id, 'name', item.name, 'description', item.description, 'status', item.status,
      'trigger', item.trigger, 'triggerConfig', item.trigger_config, 'onSendFailure', item.on_send_failure, 'version', item.version,
      'steps', (select steps from automation_versions where automation_id = item.id and version = item.version),
      -- By the hash that the steps refer to.
      'emails', coalesce((select jsonb_object_agg(hash, jsonb_build_object('subject', subject, 'html', html, 'text', text, 'source', source))
        from email_contents where automation_id = item.id), '{}'),
      'createdAt', item.created_at)`,
    from: 'automations item',
    of: 'item.deleted_at is null and item.workspace_id',
  },
  campaign: {
    document: `jsonb_build_object('id', item.id, 'name', item.name, 'status', item.status, 'category', item.category,
      'templateId', item.template_id, 'templateVersion', item.template_version, 'source', item.source, 'audience', item.audience,
      'scheduledAt', item.scheduled_at, 'localTime', item.local_time, 'fallbackTimeZone', item.fallback_time_zone,
      'throttlePerHour', item.throttle_per_hour, 'abTest', item.ab_test, 'createdAt', item.created_at)`,
    from: 'campaigns item',
  },
  suppression: {
    document: `jsonb_build_object('id', item.id, 'email', item.email, 'reason', item.reason, 'note', item.note,
      'createdAt', item.created_at)`,
    from: 'suppressions item',
  },
  contact: {
    document: `${HEAD_OF_CONTACT} || jsonb_build_object('parts', ${FIRST_OF_PARTS})`,
    from: 'contacts item cross join lateral (select item.*) contact',
  },
}

/**
 * The contents of a campaign by variant and language, as they were compiled from its template, which may have changed or been
 * deleted.
 */
export async function contentsOfCampaign(em: EntityManager, id: string): Promise<Document[]> {
  return sql(
    em,
    `select variant, nullif(locale, '') as locale, subject, html, text from campaign_contents
     where campaign_id = $1::uuid order by variant, locale`,
    [id],
  )
}

/** A page of objects of a kind, after an ID. */
export function documentPage(
  em: EntityManager,
  workspaceId: string,
  kind: Kind,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; document: Document }[]> {
  const { document, from, of = 'item.workspace_id' } = SOURCES[kind]
  return sql(
    em,
    `select item.id, ${document} as document from ${from}
     where ${of} = $1::uuid and item.id > $2::uuid order by item.id limit $3`,
    [workspaceId, after, limit],
  )
}
