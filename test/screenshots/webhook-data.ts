import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { LoggedAttempt } from '../../src/webhooks/entities.ts'
import type { Service } from '../support/service.ts'

const ENDPOINTS = [
  { url: 'https://hooks.example.com/dripline', events: ['*'], description: 'CRM', failingHours: 6 },
  { url: 'https://crm.example.net/hooks', events: ['list.joined', 'list.left'], description: null },
  { url: 'https://data.example.org/ingest', events: ['*'], description: 'Warehouse' },
  {
    url: 'https://staging.example.com/wh',
    events: ['contact.created', 'message.bounced'],
    description: null,
    isGone: true,
  },
]

/** Events of the first endpoint: minutes ago, and failed attempts. */
const DELIVERIES = [
  [1, 'contact.updated', 'juniper@example.net', 1],
  [3, 'contact.created', 'quince@example.net', 2],
  [26, 'contact.created', 'fennel@example.org', 3],
  [137, 'contact.updated', 'ada@example.com', 4],
  [360, 'contact.created', 'senna@example.com', 5],
  [361, 'contact.updated', 'heath@example.org', 0],
  [362, 'contact.created', 'rue@example.org', 0],
  [364, 'contact.unsubscribed', 'cedar@example.net', 0],
] as const

/** Minutes from an event to its attempts, and to the next one. */
const ATTEMPTED = [0, 0.2, 1.2, 6.2, 36.2, 156.2]

/** Fills a workspace with webhooks: one that fails, two that work, and one that is disabled. */
export async function createWebhooks(
  { context }: Service,
  workspaceId: string,
): Promise<{ webhookId: string; deliveryId: string }> {
  const em = context.orm.em.fork()
  const ids = ENDPOINTS.map(newId)
  const [webhookId] = ids as [string]
  let deliveryId = ''
  const positions: [string, (typeof DELIVERIES)[number]][] = []
  for (const delivery of DELIVERIES.toReversed()) {
    const [minutes, type, email] = delivery
    const data = {
      id: newId(),
      email,
      externalId: null,
      firstName: null,
      ...(type === 'contact.updated' && { changed: ['tags'] }),
    }
    const [row] = await sql<{ position: string; id: string }>(
      em,
      `insert into webhook_events (workspace_id, type, data, created_at)
       values ($1::uuid, $2, $3::jsonb, now() - make_interval(secs => $4::float8 * 60)) returning position::text, id`,
      [workspaceId, type, JSON.stringify(data), minutes],
    )
    if (email === 'senna@example.com') deliveryId = row!.id
    positions.push([row!.position, delivery])
  }
  for (const [n, { url, events, description, failingHours = null, isGone = false }] of ENDPOINTS.entries())
    await sql(
      em,
      `insert into webhook_endpoints (id, workspace_id, url, events, description, status, disabled_reason, disabled_at, failing_since,
         failures, secret, created_at)
       values ($1::uuid, $2::uuid, $3, $4::text[], $5, $6, $7, case when $7::text is not null then now() - interval '12 days' end,
         now() - make_interval(hours => $8::integer), 40, '', now() - make_interval(days => 30, secs => $9::integer))`,
      [
        ids[n],
        workspaceId,
        url,
        events,
        description,
        isGone ? 'DISABLED' : 'ENABLED',
        isGone ? 'GONE' : null,
        failingHours,
        -n,
      ],
    )
  for (const [position, [minutes, , , failed]] of positions) {
    const attempt = (after: number, status: number, response: string): LoggedAttempt => ({
      ...{ at: new Date(Date.now() - (minutes - after) * 60_000).toISOString(), durationMs: status === 200 ? 142 : 31 },
      ...{ url: ENDPOINTS[0]!.url, status, problem: null, response },
    })
    const log =
      failed === 0
        ? [attempt(0, 200, 'OK')]
        : ATTEMPTED.slice(0, failed).map((after) =>
            attempt(after, 503, 'upstream connect error or disconnect before headers'),
          )
    await sql(
      em,
      `insert into webhook_deliveries (event_position, endpoint_id, status, attempts, due_at, log, finished_at)
       values ($1::bigint, $2::uuid, $3, $4::integer, now() + make_interval(mins => $5::integer), $6::jsonb,
         case when $3 = 'DELIVERED' then now() end)`,
      [position, webhookId, failed === 0 ? 'DELIVERED' : 'PENDING', log.length, failed * 20, JSON.stringify(log)],
    )
  }
  return { webhookId, deliveryId }
}
