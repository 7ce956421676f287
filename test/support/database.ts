import { Client } from 'pg'
import type { Orm } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { services } from './servers.ts'

let count = 0

export interface TestDatabase {
  url: string
  orm: Orm
}

/** Creates a migrated database, and opens it. */
export async function createDatabase(): Promise<TestDatabase> {
  const url = await createMigratedDatabase()
  return { url, orm: openDatabase({ url, poolSize: 20 }) }
}

/** Creates a migrated database: a copy of a template that was migrated once. */
export async function createMigratedDatabase(): Promise<string> {
  const url = await create((await services()).template)
  // A copy has the template's ID, and would count as the same instance.
  await query(url, 'update instance set id = gen_random_uuid()')
  return url
}

/** Creates a database without tables. */
export const createEmptyDatabase = (): Promise<string> => create()

async function create(template?: string): Promise<string> {
  const { databaseUrl, superuserUrl } = await services()
  const name = `test_${process.pid}_${(count += 1)}`
  const owner = new URL(databaseUrl).username
  await query(superuserUrl, `create database ${name} owner ${owner}${template ? ` template ${template}` : ''}`)
  return databaseUrl.replace(/\/[^/]*$/, `/${name}`)
}

async function query(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
