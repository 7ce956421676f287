import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** How live mail leaves this installation: over SMTP, or not at all. */
export type MailMode = 'smtp' | 'capture'

/** The id of this installation: enrollments carry it, because others may run on the same Temporal. */
export async function readInstallationId(em: EntityManager): Promise<string> {
  const [row] = await sql<{ id: string }>(em, `select id from installation`)
  if (!row) throw new Error('The database has no installation: its migrations have not run')
  return row.id
}

/** Where in Temporal an installation works. */
export interface Workplace {
  namespace: string
  taskQueue: string
}

/** Where this installation works, which is where it says first that it does. */
export async function firstWorkplace(em: EntityManager, { namespace, taskQueue }: Workplace): Promise<Workplace> {
  const [row] = await sql<{ namespace: string; task_queue: string }>(
    em,
    `update installation
     set temporal_namespace = coalesce(temporal_namespace, $1), temporal_task_queue = coalesce(temporal_task_queue, $2)
     returning temporal_namespace as namespace, temporal_task_queue as task_queue`,
    [namespace, taskQueue],
  )
  return row ? { namespace: row.namespace, taskQueue: row.task_queue } : { namespace, taskQueue }
}

/** Says that this installation works somewhere else from now on. */
export async function moveWorkplace(em: EntityManager, { namespace, taskQueue }: Workplace): Promise<void> {
  await sql(em, `update installation set temporal_namespace = $1, temporal_task_queue = $2`, [namespace, taskQueue])
}

/** How this installation sends mail, `null` where nobody has said yet. */
export async function readMailMode(em: EntityManager): Promise<MailMode | null> {
  const [row] = await sql<{ mail: MailMode | null }>(em, `select mail from installation`)
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
  where excluded.mail = 'smtp' or said.mail = 'capture' or said.mail is null or $2::boolean
returning mail`

/** The sender of this installation's mail, `null` where nobody has said it yet. */
export async function readMailSender(em: EntityManager): Promise<string | null> {
  const [row] = await sql<{ mail_from: string | null }>(em, `select mail_from from installation`)
  return row?.mail_from ?? null
}

/** Says the sender of this installation's mail, for all of its parts. */
export async function sayMailSender(em: EntityManager, mailFrom: string): Promise<void> {
  await sql(
    em,
    `insert into installation (mail_from) values ($1) on conflict (single) do update set mail_from = excluded.mail_from`,
    [mailFrom],
  )
}
