import {
  MikroORM,
  type EntityClass,
  type MigrationObject,
  type EntityManager,
  type Options,
} from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { classifyDatabaseError } from './errors.ts'
import { Session } from './session.ts'

export type Orm = MikroORM
export type { EntityManager }

/** What there is in the database: composed of all rooms, in `src/schema`. */
export interface Schema {
  entities: readonly EntityClass[]
  migrations: readonly MigrationObject[]
}

export interface OrmOptions {
  url: string
  /** Connections at most. */
  poolSize?: number
  /** Milliseconds after which a connection attempt or a query fails, so that a caller is answered in time. */
  timeoutMs?: number
  /** What its sessions are called in `pg_stat_activity`. */
  applicationName?: string
  /** What a session is. */
  client?: typeof Session
  /** Is given the pool, when it is made. */
  onPool?: (pool: Pool) => void
}

/**
 * Opens the database. No connection is made before the first query, so a database that is down fails
 * requests and not the start.
 */
export function openOrm(
  schema: Schema,
  {
    url,
    poolSize = 10,
    timeoutMs = 4_000,
    applicationName = 'dripline',
    client = Session,
    onPool = () => undefined,
  }: OrmOptions,
): Orm {
  const options: Options = {
    clientUrl: url,
    entities: [...schema.entities],
    extensions: [Migrator],
    migrations: { migrationsList: [...schema.migrations], tableName: 'migrations', snapshot: false },
    pool: { min: 0, max: poolSize },
    driverOptions: {
      Client: client,
      onPoolCreated: onPool,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      // Postgres gives up before we do, so that a statement seldom runs on with nobody waiting for it; and lets go of the
      // locks of a session whose other end fell silent in a transaction, or went away during a statement.
      statement_timeout: Math.round(timeoutMs * 0.85),
      idle_in_transaction_session_timeout: timeoutMs * 2,
      options: '-c client_connection_check_interval=2000',
      keepAlive: true,
      application_name: applicationName,
    },
    // Failures reach the caller as errors and are logged once, there; the ORM's own log would print parameters.
    logger: () => undefined,
    ensureDatabase: false,
  }
  return new MikroORM(options)
}

/** How long a migration's statement may take, in milliseconds: an index of millions takes minutes. */
export const MIGRATION_TIMEOUT_MS = 2 * 60 * 60_000

/**
 * Brings the schema up to date. Safe to call from several processes at once: the first one holds a lock.
 * @param only these, where it is to be as it was for an earlier version
 */
export async function migrate(orm: Orm, only?: readonly string[]): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const done = await orm.em.getConnection().transactional(async (trx) => {
        await orm.em
          .getConnection()
          .execute(`select pg_advisory_xact_lock(hashtext('dripline-migrations'))`, [], 'all', trx)
        return orm.migrator.up(only && { migrations: [...only] })
      })
      return done.map((migration) => migration.name)
    } catch (error) {
      // Beside parts at work it may lose against them. Nothing was done then.
      if (classifyDatabaseError(error) !== 'retry') throw error
      if (attempt === MIGRATION_ATTEMPTS) {
        throw new Error(
          `The database could not be migrated beside what works on it: ${(error as Error).message} It is as it was. Migrate it ` +
            'again, or stop the workers and the APIs before.',
          { cause: error },
        )
      }
      await delay(Math.random() * attempt * 1_000)
    }
  }
}

const MIGRATION_ATTEMPTS = 8

/** The names of migrations that the database has not had yet. */
export async function pendingMigrations(orm: Orm): Promise<string[]> {
  return (await orm.migrator.getPending()).map((migration) => migration.name)
}
