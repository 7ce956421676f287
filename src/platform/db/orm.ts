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

/** The schema of the database, which `src/schema` assembles from all modules. */
export interface Schema {
  entities: readonly EntityClass[]
  migrations: readonly MigrationObject[]
}

export interface OrmOptions {
  url: string
  /** The maximum number of connections. */
  poolSize?: number
  /** Milliseconds after which a connection attempt or a query fails, so that the caller gets a response in time. */
  timeoutMs?: number
  /** The name of its sessions in `pg_stat_activity`. */
  applicationName?: string
  /** The class of its sessions. */
  client?: typeof Session
  /** Called with the pool when it is created. */
  onPool?: (pool: Pool) => void
}

/** Opens the database. It connects on the first query, so that an unavailable database fails requests and not the startup. */
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
      // Postgres times out before the client does, so that a statement rarely keeps running after its caller has given up. It
      // also ends sessions whose client fell silent in a transaction or disconnected during a statement, and releases their
      // locks.
      statement_timeout: Math.round(timeoutMs * 0.85),
      // Shorter, so that the error shows whether a statement waited for a concurrent one or was too expensive.
      lock_timeout: Math.round(timeoutMs * 0.75),
      idle_in_transaction_session_timeout: timeoutMs * 2,
      options: '-c client_connection_check_interval=2000',
      keepAlive: true,
      // Statements are sent before earlier ones of their transaction are answered (`pipelined`).
      pipeline: true,
      application_name: applicationName,
    },
    // The caller logs an error once. The ORM's own log would print parameters.
    logger: () => undefined,
    ensureDatabase: false,
  }
  return new MikroORM(options)
}

/** The maximum time of a migration's statement, in milliseconds: an index on millions of rows takes minutes. */
export const MIGRATION_TIMEOUT_MS = 2 * 60 * 60_000

/**
 * Migrates the schema to the latest version. Several processes may call it concurrently: the first one holds a lock.
 * @param only the migrations to run, for the schema of an earlier version
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
      // A migration may lose a conflict with running processes. In that case, it has changed nothing.
      if (classifyDatabaseError(error) !== 'retry') throw error
      if (attempt === MIGRATION_ATTEMPTS) {
        throw new Error(
          `The database could not be migrated while other processes use it: ${(error as Error).message} Nothing was changed. ` +
            'Try again, or stop the workers and the APIs first.',
          { cause: error },
        )
      }
      await delay(Math.random() * attempt * 1_000)
    }
  }
}

const MIGRATION_ATTEMPTS = 8

/** The names of the migrations that the database still needs. */
export async function pendingMigrations(orm: Orm): Promise<string[]> {
  return (await orm.migrator.getPending()).map((migration) => migration.name)
}
