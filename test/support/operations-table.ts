import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { isAtLeast, type Role } from '../../src/http/roles.ts'
import type { Scope } from '../../src/http/scopes.ts'
import { operations } from '../../src/runtime/operations.ts'
import { templateOf } from './contract.ts'

/** An operation as `test/http/operations.tsv` defines it. The table does not come from the code, so that a wrong scope fails a test. */
export interface ExpectedOperation {
  /** Such as `GET /contacts/{id}`. */
  operation: string
  /** One or two scopes, `any key`, or `people`; without a workspace, the value of `Operation.open`. */
  who: string
  /** The scopes in `who`, each of which is enough. */
  scopes: readonly Scope[]
  /** Whether API keys may use it. */
  isForKeys: boolean
  /** The minimum role of a person; undefined for operations without a workspace. */
  role: Role | undefined
  /** Whether a change writes an audit entry. */
  audited: boolean
  takesIdempotencyKey: boolean
}

const read = (): ExpectedOperation[] =>
  readFileSync(new URL('../http/operations.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [operation = '', who = '', role = '', audited, keyed] = line.split('\t')
      return {
        ...{ operation, who, audited: audited === 'yes', takesIdempotencyKey: keyed === 'yes' },
        role: role === '-' ? undefined : (role as Role),
        scopes: who.includes(':') ? (who.split(' or ') as Scope[]) : [],
        isForKeys: !['people', 'account', 'anybody'].includes(who),
      }
    })

export const EXPECTED: readonly ExpectedOperation[] = read()

/** Returns what is expected of an operation of the document. */
export function expectedOf({ method, path }: { method: string; path: string }): ExpectedOperation {
  const found = EXPECTED.find(({ operation }) => operation === `${method} ${path}`)
  assert.ok(found, `test/http/operations.tsv has no row for ${method} ${path}`)
  return found
}

export const mayUse = ({ role }: ExpectedOperation, own: Role): boolean => role === undefined || isAtLeast(own, role)

/** Operations that answer 503 while an email is in flight. A repeated request waits for it, and the first one wrote the entry. */
const REPEATED: ReadonlySet<string> = new Set([
  'DELETE /contacts/{id}',
  'DELETE /automations/{id}/enrollments/{contactId}',
])

/** Checks that a successful change wrote one audit entry, or none if the table requires that. */
export async function assertAudited(
  { em }: Orm,
  method: string,
  path: string,
  { status, headers }: { status: number; headers: Headers },
): Promise<void> {
  if (method === 'GET' || status >= 300 || headers.has('idempotent-replayed')) return
  const expected = EXPECTED.find(({ operation }) => operation === `${method} ${templateOf(path)}`)
  // Operations on an account write entries in each of its workspaces, which test/accounts tests.
  if (expected?.role === undefined) return
  const requestId = headers.get('x-request-id')
  const operationId = operations.find((each) => `${each.method} ${each.path}` === expected.operation)!.id
  // The creation of a workspace writes an entry in the new one and in the one of the request.
  const entries = await sql<{ count: number }>(
    em.fork(),
    'select count(*)::integer as count from audit_entries where request_id = $1 and operation = $2 group by workspace_id',
    [requestId, operationId],
  )
  if (entries.length === 0 && REPEATED.has(expected.operation)) {
    const earlier = `select from audit_entries where operation = $1 and created_at > now() - interval '1 minute'`
    if ((await sql(em.fork(), earlier, [operationId])).length > 0) return
  }
  const isAsExpected = expected.audited ? entries.length > 0 && entries.every(({ count }) => count === 1) : !entries[0]
  assert.ok(isAsExpected, `${method} ${path} wrote ${JSON.stringify(entries)} audit entries`)
}
