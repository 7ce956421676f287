import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { domainOf } from '../platform/email-address.ts'

/** The proof that a domain belongs to a workspace: OWN, OTHER for a proof of another workspace, NONE without any. */
export type DomainProof = 'OWN' | 'OTHER' | 'NONE'

/** SQL for the proof of the domain of a row of `senders`. */
export const PROOF = `coalesce((
  select case when proven_domains.workspace_id = senders.workspace_id then 'OWN' else 'OTHER' end
  from proven_domains where domain = from_domain
), 'NONE')`

/** Records that a workspace has proven a domain by its DKIM record, which only the owner can publish. The first proof counts. */
export async function recordProof(em: EntityManager, workspaceId: string, domain: string): Promise<void> {
  await sql(
    em,
    'insert into proven_domains (domain, workspace_id) values ($1, $2::uuid) on conflict (domain) do nothing',
    [domain.toLowerCase(), workspaceId],
  )
}

/** Reads the proof of the domain of an address. */
export async function proofOf(em: EntityManager, workspaceId: string, address: string): Promise<DomainProof> {
  const [row] = await sql<{ workspace_id: string }>(em, 'select workspace_id from proven_domains where domain = $1', [
    domainOf(address)?.toLowerCase() ?? '',
  ])
  if (!row) return 'NONE'
  return row.workspace_id === workspaceId ? 'OWN' : 'OTHER'
}
