import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { clientOf } from './postgres-client.ts'

/** Reads a password from a file, and creates it if it is missing. */
export function readPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8').trim()
}

/**
 * Creates a role without superuser rights that may log in, and databases that it owns. Whatever an earlier start has created is
 * kept.
 */
export async function ensureRole(
  superuserUrl: string,
  { name, password, databases }: { name: string; password: string; databases: readonly string[] },
): Promise<void> {
  const client = clientOf(superuserUrl)
  await client.connect()
  try {
    const role = escapeIdentifier(name)
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
    const login = `login nosuperuser nocreatedb nocreaterole password ${escapeLiteral(password)}`
    await client.query(`${rowCount === 0 ? 'create' : 'alter'} role ${role} ${login}`)
    for (const database of databases) {
      const id = escapeIdentifier(database)
      const found = await client.query('select from pg_database where datname = $1', [database])
      if (found.rowCount === 0) await client.query(`create database ${id} owner ${role}`)
      // Keeps other roles of this server out.
      await client.query(`revoke all on database ${id} from public`)
    }
  } finally {
    await client.end()
  }
}
