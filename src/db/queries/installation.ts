import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

/** How live mail leaves this installation: over SMTP, or not at all. */
export type MailMode = 'smtp' | 'capture'

/** How this installation sends mail, `null` where nobody has said yet. */
export async function readMailMode(em: EntityManager): Promise<MailMode | null> {
  const [row] = await sql<{ mail: MailMode }>(em, `select mail from installation`)
  return row?.mail ?? null
}

/** Says how this installation sends mail, for all of its parts. */
export async function writeMailMode(em: EntityManager, mail: MailMode): Promise<void> {
  await sql(em, `insert into installation (mail) values ($1) on conflict (single) do update set mail = excluded.mail`, [
    mail,
  ])
}
