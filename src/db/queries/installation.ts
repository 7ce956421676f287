import type { EntityManager } from '../orm.ts'
import { sql } from '../sql.ts'

/** How live mail leaves this installation: over SMTP, or not at all. */
export type MailMode = 'smtp' | 'capture'

/** How this installation sends mail, `null` where nobody has said yet. */
export async function readMailMode(em: EntityManager): Promise<MailMode | null> {
  const [row] = await sql<{ mail: MailMode }>(em, `select mail from installation`)
  return row?.mail ?? null
}

/**
 * Says how this installation sends mail, for all of its parts. One statement decides, because two parts may start at once:
 * where mail is delivered, only an order has it captured. @returns whether it is so now.
 */
export async function sayMailMode(
  em: EntityManager,
  { mail, isOrder }: { mail: MailMode; isOrder: boolean },
): Promise<boolean> {
  const rows = await sql(em, SAY, [mail, isOrder])
  return rows.length > 0
}

const SAY = `
insert into installation as said (mail) values ($1)
on conflict (single) do update set mail = excluded.mail
  where excluded.mail = 'smtp' or said.mail = 'capture' or $2::boolean
returning mail`
