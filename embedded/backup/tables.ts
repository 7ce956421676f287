/** Saves and loads tables as files in the text format of COPY, which every version of Postgres reads. */
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type Client, escapeIdentifier } from 'pg'
import copy from 'pg-copy-streams'
import { clientOf } from '../postgres-client.ts'
import { fileOf, type Manifest, sha256Of, type SavedTable } from './manifest.ts'

/** The migrator writes this table. */
const MIGRATIONS = 'migrations'

/** Saves all tables as of one instant. @param databaseUrl a role that may read them */
export async function saveTables(
  databaseUrl: string,
  folder: string,
): Promise<Pick<Manifest, 'tables' | 'sequences' | 'migrations'>> {
  const client = await connect(databaseUrl)
  try {
    await client.query('begin isolation level repeatable read, read only')
    // A restore would reject them.
    await assertTimes(client)
    const { rows: migrations } = await client.query<{ name: string }>(`select name from ${MIGRATIONS} order by id`)
    const { rows: found } = await client.query<{ name: string; columns: string[] }>(COLUMNS, [MIGRATIONS])
    const tables: SavedTable[] = []
    for (const { name, columns } of found) {
      const path = join(folder, fileOf(name))
      const text = `copy (select ${columns.map(escapeIdentifier).join()} from ${escapeIdentifier(name)}) to stdout`
      await pipeline(client.query(copy.to(text)), createGzip({ level: 1 }), createWriteStream(path, { mode: 0o600 }))
      tables.push({ name, columns, sha256: await sha256Of(path) })
    }
    // Values taken from a sequence in the meantime only leave a gap.
    const { rows: sequences } = await client.query<{ name: string; last: string | null }>(SEQUENCES)
    await client.query('commit')
    return { tables, sequences, migrations: migrations.map(({ name }) => name) }
  } finally {
    await client.end()
  }
}

/**
 * Fills the tables of an empty database that has the same migrations. Names are checked against the database itself, because a
 * backup can come from anyone and its names become part of statements. The statements run with the rights of the owner of the
 * tables.
 *
 * @param superuserUrl a role that may disable triggers: their effects are in the data
 * @throws {Error} that states what does not match
 */
export async function loadTables(
  superuserUrl: string,
  folder: string,
  { tables, sequences }: Pick<Manifest, 'tables' | 'sequences'>,
): Promise<void> {
  const client = await connect(superuserUrl)
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    const [owner] = (await client.query<{ name: string }>(OWNER)).rows
    if (!owner) throw new Error('The target database has no owner.')
    await client.query(`set local role ${escapeIdentifier(owner.name)}`)
    await assertFits(client, tables, sequences)
    for (const { name, columns } of tables) {
      const table = `public.${escapeIdentifier(name)}`
      await client.query(`delete from ${table}`)
      const text = `copy ${table} (${columns.map(escapeIdentifier).join()}) from stdin`
      await pipeline(createReadStream(join(folder, fileOf(name))), createGunzip(), client.query(copy.from(text)))
    }
    for (const { name, last } of sequences) {
      if (last !== null)
        await client.query('select pg_catalog.setval($1::regclass, $2::bigint)', [
          `public.${escapeIdentifier(name)}`,
          last,
        ])
    }
    await assertTimes(client)
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** @throws {Error} if the database has other tables, columns or sequences */
async function assertFits(client: Client, tables: Manifest['tables'], sequences: Manifest['sequences']): Promise<void> {
  const { rows: ours } = await client.query<{ name: string; columns: string[] }>(COLUMNS, [MIGRATIONS])
  const { rows: counted } = await client.query<{ name: string }>(SEQUENCES)
  const inWords = (all: readonly { name: string; columns?: readonly string[] }[]) =>
    JSON.stringify(all.map(({ name, columns = [] }) => [name, ...columns.toSorted()].join(' ')).toSorted())
  if (
    inWords(tables) !== inWords(ours) ||
    inWords(sequences.map(({ name }) => ({ name }))) !== inWords(counted.map(({ name }) => ({ name })))
  )
    throw new Error('Its tables are not those of the version that made it.')
}

/** Times that are marks: a cancelled retry, and a message of an A/B test that waits for the winner. */
const MARKS: Record<string, string> = { 'messages.retry_at': '-infinity', 'messages.due_at': 'infinity' }

/** Rejects times outside of the calendar, which would break later readers. @throws {Error} that names the column */
async function assertTimes(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(TIMES)
  for (const { name, columns } of rows) {
    // All columns of a table in one scan: a backup of millions of messages must not read them once for each.
    const isInvalid = columns.map((column) => {
      const time = escapeIdentifier(column)
      const mark = MARKS[`${name}.${column}`]
      const isMark = mark === undefined ? 'false' : `${time} = '${mark}'`
      return `bool_or((${time} >= '10000-01-01 00:00+00' or ${time} < '0001-01-01 00:00+00') and not ${isMark})`
    })
    const [found] = (
      await client.query<{ invalid: (boolean | null)[] }>(
        `select array[${isInvalid.join()}] as invalid from public.${escapeIdentifier(name)}`,
      )
    ).rows
    const column = columns[found!.invalid.indexOf(true)]
    if (column !== undefined) throw new Error(`The table ${name} has an invalid time in ${column}.`)
  }
}

async function connect(connectionString: string): Promise<Client> {
  const client = clientOf(connectionString)
  await client.connect()
  // A table with millions of rows takes longer than the default timeouts.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  return client
}

const OWNER = `select pg_catalog.pg_get_userbyid(datdba) as name from pg_catalog.pg_database where datname = current_database()`

const COLUMNS = `
select column_of.table_name as name, array_agg(column_of.column_name::text order by column_of.ordinal_position) as columns
from information_schema.columns column_of
join information_schema.tables using (table_schema, table_name)
where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name <> $1
group by column_of.table_name order by column_of.table_name`

const TIMES = `
select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
where table_schema = 'public' and data_type like 'timestamp%' and table_name <> '${MIGRATIONS}' group by table_name`

const SEQUENCES = `
select sequencename as name, last_value::text as last from pg_sequences
where schemaname = 'public' and sequencename not like '${MIGRATIONS}\\_%'`
