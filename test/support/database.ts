import { migrate, type Orm } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { services } from './servers.ts'

let template: Promise<string> | undefined
let count = 0

export interface TestDatabase {
  url: string
  orm: Orm
}

/** A migrated database of its own: a copy of one that was migrated once. */
export async function createDatabase(): Promise<TestDatabase> {
  const from = await (template ??= createTemplate())
  const url = await create(`test_${(count += 1)}`, from)
  const orm = openDatabase({ url, poolSize: 20 })
  // Of its own: a copy would be taken for what it was copied from.
  await sql(orm.em.fork(), 'update installation set id = gen_random_uuid()')
  return { url, orm }
}

async function createTemplate(): Promise<string> {
  const url = await create('test_template')
  const orm = openDatabase({ url, timeoutMs: 60_000 })
  await migrate(orm)
  await orm.close(true)
  return 'test_template'
}

/** A database that has nothing yet. */
export const createEmptyDatabase = (): Promise<string> => create(`test_${(count += 1)}`)

async function create(name: string, from?: string): Promise<string> {
  const { databaseUrl, superuserUrl } = await services()
  const admin = openDatabase({ url: superuserUrl, timeoutMs: 60_000 })
  const owner = new URL(databaseUrl).username
  await sql(admin.em.fork(), `create database ${name} owner ${owner}${from ? ` template ${from}` : ''}`)
  await admin.close(true)
  return databaseUrl.replace(/\/[^/]*$/, `/${name}`)
}
