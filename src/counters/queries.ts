import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import { type CounterChanges, type CounterRow, DOMAIN_COLUMNS, type DomainRow, type LinkRow } from './changes.ts'

/**
 * Writes changes of counters, in the transaction that changes the rows that are counted. A change is a row, so that no transaction
 * waits for another one; `foldCounters` adds them up. The statements are sent together.
 */
export async function writeCounterChanges(em: EntityManager, changes: CounterChanges): Promise<void> {
  await Promise.all([writeCounters(em, changes.list().counters), writeDomainsAndLinks(em, changes)])
}

/** Writes the changes of domains and links only. */
export async function writeDomainsAndLinks(em: EntityManager, changes: CounterChanges): Promise<void> {
  const { domains, links } = changes.list()
  await Promise.all([writeDomains(em, domains), writeLinks(em, links)])
}

async function writeCounters(em: EntityManager, rows: readonly CounterRow[]): Promise<void> {
  if (rows.length === 0) return
  await preparedSql(em, 'write-counter-changes', WRITE_COUNTERS, [
    rows.map(({ workspaceId }) => workspaceId),
    rows.map(({ automationId }) => automationId),
    rows.map(({ stepId }) => stepId),
    rows.map(({ at }) => at),
    rows.map(({ counter }) => counter),
    rows.map(({ change }) => change),
  ])
}

const WRITE_COUNTERS = `
insert into counter_changes (workspace_id, automation_id, step_id, at, counter, change)
select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $6::integer[])`

async function writeDomains(em: EntityManager, rows: readonly DomainRow[]): Promise<void> {
  if (rows.length === 0) return
  await preparedSql(em, 'write-domain-changes', WRITE_DOMAINS, [
    rows.map(({ workspaceId }) => workspaceId),
    rows.map(({ domain }) => domain),
    rows.map(({ day }) => day),
    ...DOMAIN_COLUMNS.map((column) => rows.map(({ changes }) => changes[column] ?? 0)),
  ])
}

const WRITE_DOMAINS = `
insert into domain_changes (workspace_id, domain, day, ${DOMAIN_COLUMNS.join(', ')})
select * from unnest($1::uuid[], $2::text[], $3::date[], ${DOMAIN_COLUMNS.map((_column, i) => `$${i + 4}::integer[]`).join(', ')})`

async function writeLinks(em: EntityManager, rows: readonly LinkRow[]): Promise<void> {
  if (rows.length === 0) return
  await preparedSql(em, 'write-link-changes', WRITE_LINKS, [
    rows.map(({ automationId }) => automationId),
    rows.map(({ stepId }) => stepId),
    rows.map(({ url }) => url),
    rows.map(({ change }) => change),
  ])
}

const WRITE_LINKS = `
insert into link_changes (automation_id, step_id, url, change)
select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[])`

/** Deletes all counters and their changes, to count again. */
export async function clearCounters(em: EntityManager): Promise<void> {
  const tables = ['counter_changes', 'step_counters', 'flow_counters']
  tables.push('domain_changes', 'domain_days', 'link_changes', 'link_clicks')
  for (const table of tables) await sql(em, `delete from ${table}`)
}
