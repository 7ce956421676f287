/** Parts of the statements that write `messages`, which are in the `…-queries.ts` files of this module. */
import type { EntityManager } from '../platform/db/orm.ts'
import { pipelined, preparedSql, sql } from '../platform/db/sql.ts'
import { recordWebhookFacts } from '../webhooks/index.ts'
import { countChanges, factsOf, type MessageChange } from './changes-queries.ts'
import type { MessageStatus } from './message.ts'
import { RETRYABLE } from './transitions.ts'

/** Seconds before an unrenewed claim expires. */
export const LEASE_SECONDS = 30

export const listed = (statuses: readonly MessageStatus[]): string =>
  `(${statuses.map((status) => `'${status}'`).join(', ')})`
export const DISMISSIBLE = listed(['QUEUED', 'DEFERRED'])
export const IS_RETRYABLE = `message.status in ${listed(RETRYABLE)}`
/** SQL: whether a message is in flight. */
export const IS_LIVE = `status = 'SENDING' and lease_until > clock_timestamp()`

/**
 * Passes rows as one parameter. Statements also name the IDs in a separate parameter: Postgres estimates JSON at a hundred rows,
 * and would scan a small table.
 *
 * Replaces lone surrogates, which a template's filter can leave behind: Postgres rejects them in JSON.
 */
export const asJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))

/**
 * Runs a statement, counts the changes that it returns, and records them for webhooks, in the entity manager's transaction or in a new one.
 * @param name of a constant statement, which is prepared
 */
export const write = <Row = object>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[],
  name?: string,
): Promise<(Row & MessageChange)[]> =>
  pipelined(em, async (unit) => {
    const rows = await (name === undefined
      ? sql<Row & MessageChange>(unit, text, parameters)
      : preparedSql<Row & MessageChange>(unit, name, text, parameters))
    await recordWebhookFacts(unit, factsOf(rows))
    return () => countChanges(unit, rows).then(() => rows)
  })

/** SQL: the beginning of an UPDATE that makes messages UNCONFIRMED. */
export const EXPIRE = `
update messages set status = 'UNCONFIRMED', error = $1, lease_until = null, retry_at = null,
  final_at = coalesce(final_at, now())`
