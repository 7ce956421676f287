import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import type { EntityManager } from './orm.ts'

/**
 * Runs one SQL statement with bound parameters (`$1`, `$2`, …), in the entity manager's transaction if it has one.
 * The ORM's own `execute` writes parameters into the text; a statement of ours never should.
 *
 * @returns the rows, columns named as in the statement. Timestamps come as texts: see {@link toDate}.
 */
export async function sql<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const transaction = em.getTransactionContext<Transaction<unknown> | undefined>()
  const executor: Kysely<unknown> = transaction ?? em.getConnection().getClient<unknown>()
  const { rows } = await executor.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}

/** Turns a timestamp as Postgres prints it into a Date. */
export const toDate = (text: string): Date => new Date(text)
