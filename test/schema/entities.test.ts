import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

describe('entities', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
  })
  after(() => database.orm.close(true))

  it('have every table and every column, with the right type', async () => {
    const { orm } = database
    const rows = await sql<{ table: string; column: string; type: string; nullable: boolean }>(
      orm.em.fork(),
      `select attrelid::regclass::text as table, attname as column, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
         and relname <> 'migrations'
       order by 1, 2`,
    )
    const known = [...orm.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
      props.map(({ fieldNames: [column = ''], columnTypes: [type = ''], nullable = false }) => ({
        table: tableName,
        column,
        type: type.replace(/^timestamptz(\(\d\))?$/, 'timestamp with time zone').replace(/^int$/, 'integer'),
        nullable,
      })),
    )
    const inOrder = (a: { table: string; column: string }, b: { table: string; column: string }) =>
      a.table.localeCompare(b.table) || a.column.localeCompare(b.column)
    assert.deepEqual(known.toSorted(inOrder), rows.toSorted(inOrder))
  })
})
