import { createSecretKey, type KeyObject } from 'node:crypto'
import type { EntityManager } from '../platform/db/orm.ts'
import { isMailbox } from '../platform/email-address.ts'
import { invalid } from '../platform/refusal.ts'
import { AS_IT_IS, preparedSql, sql, unitOf } from '../platform/db/sql.ts'
import { Installation } from './entities.ts'

/** How live mail leaves this installation: over SMTP, or not at all. */
export type MailMode = 'smtp' | 'capture'

const readInstallation = (em: EntityManager) => unitOf(em).findOne(Installation, { single: true }, AS_IT_IS)

/** The id of this installation: enrollments carry it, because others may run on the same Temporal. */
export async function readInstallationId(em: EntityManager): Promise<string> {
  const installation = await readInstallation(em)
  if (!installation) throw new Error('The database has no installation: its migrations have not run')
  return installation.id
}

/** A task queue in a namespace of Temporal. */
export interface Workplace {
  /** `null` in a database that was restored or copied: the next process to start records its own. */
  namespace: string | null
  /** Temporal's own ID of the namespace, which differs between two servers. `null` if unknown. */
  namespaceId: string | null
  taskQueue: string
}

/** Returns where this instance works, or `null` if no process has started yet. */
export async function readWorkplace(em: EntityManager): Promise<Workplace | null> {
  const { temporalNamespace, temporalNamespaceId, temporalTaskQueue } = (await readInstallation(em)) ?? {}
  if (temporalTaskQueue == null) return null
  return {
    namespace: temporalNamespace ?? null,
    namespaceId: temporalNamespaceId ?? null,
    taskQueue: temporalTaskQueue,
  }
}

/** Records where this instance works, unless another place is recorded. @returns what is recorded now */
export async function recordWorkplace(em: EntityManager, place: Workplace): Promise<Workplace> {
  await sql(
    em,
    `update installation
     set temporal_namespace = $1, temporal_task_queue = $2, temporal_namespace_id = coalesce(temporal_namespace_id, $3)
     where (temporal_namespace is null or temporal_namespace = $1)
       and (temporal_task_queue is null or temporal_task_queue = $2)`,
    [place.namespace, place.taskQueue, place.namespaceId],
  )
  return (await readWorkplace(em)) ?? place
}

/** How this installation sends mail, `null` where nobody has said yet. */
export async function readMailMode(em: EntityManager): Promise<MailMode | null> {
  return (await readInstallation(em))?.mail ?? null
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

/** The sender of this installation's mail, `null` where nobody has said it yet. What a backup has made of it may be none. */
export async function readMailSender(em: EntityManager): Promise<string | null> {
  const { mailFrom } = (await readInstallation(em)) ?? {}
  return mailFrom != null && isMailbox(mailFrom) ? mailFrom : null
}

/** Says the sender of this installation's mail, for all of its parts; `null`: as before anybody said it. */
export async function sayMailSender(em: EntityManager, mailFrom: string | null): Promise<void> {
  await unitOf(em).nativeUpdate(Installation, { single: true }, { mailFrom })
}

/** Where recipients reach this installation, `null` where nobody has said yet. What a backup has made of it may be none. */
export async function readPublicUrl(em: EntityManager): Promise<string | null> {
  const { publicUrl } = (await readInstallation(em)) ?? {}
  return publicUrl != null && /^https?:\/\//.test(publicUrl) && URL.canParse(publicUrl) ? publicUrl : null
}

export async function sayPublicUrl(em: EntityManager, publicUrl: string): Promise<void> {
  await unitOf(em).nativeUpdate(Installation, { single: true }, { publicUrl })
}

/** The domain to which what cannot be delivered goes back, `null` where nobody has said one. */
export const readBounceDomain = async (em: EntityManager): Promise<string | null> =>
  (await readInstallation(em))?.bounceDomain ?? null

export async function sayBounceDomain(em: EntityManager, bounceDomain: string): Promise<void> {
  await unitOf(em).nativeUpdate(Installation, { single: true }, { bounceDomain })
}

/** What links in emails are signed with. @throws {Error} before there is an installation */
export async function readLinkSecret(em: EntityManager): Promise<KeyObject> {
  const installation = await readInstallation(em)
  if (!installation) throw new Error('The database has no installation: its migrations have not run')
  return createSecretKey(installation.linkSecret)
}

/** The same, read once for all who ask: it never changes. Where it cannot be read, whoever asks next tries again. */
export function linkSecretOf(em: EntityManager): () => Promise<KeyObject> {
  let secret: Promise<KeyObject> | undefined
  return () => {
    secret ??= readLinkSecret(em)
    secret.catch(() => (secret = undefined))
    return secret
  }
}

/** When this installation was restored from a backup, as long as it has not been reconciled since; else `null`. */
export async function readRestoredAt(em: EntityManager): Promise<Date | null> {
  return (await readInstallation(em))?.restoredAt ?? null
}

/**
 * Says that this installation was restored: it sends nothing until `sayReconciled`. What was delivered until then may be lost, and
 * what an earlier restore may have lost stays so, whether that was reconciled or not.
 */
export async function sayRestored(em: EntityManager): Promise<void> {
  // A backup that somebody has changed may have none.
  await sql(em, 'insert into installation default values on conflict do nothing')
  await sql(
    em,
    `update installation set restored_at = now(), lost_until = now(), reconciling_until = null,
       -- A copy may work elsewhere. The task queue stays, because the restored workflows are in it.
       temporal_namespace = null, temporal_namespace_id = null,
       -- What is days ahead is somebody's doing: nobody would be mailed until then. A clock may be hours behind for a moment.
       -- Who has not looked behind the one before does not know how long what it was copied from went on.
       lost_before = case
         when lost_until > now() + interval '2 days' then now()
         when restored_at is not null then greatest(lost_until, now())
         when lost_until > '2000-01-01' then lost_until
       end,
       -- Of the newest, or of what is not much older. Newer ones come as soon as it runs, restored or not.
       backed_up_at = least(now(), case when restored_at is null then greatest(
         (select max(created_at) from trigger_events),
         (select claimed_at from messages order by id desc limit 1),
         (select enrolled_at from enrollments order by id desc limit 1)
       ) else backed_up_at end)`,
  )
}

/**
 * Says that ledger and Temporal agree, or that nobody minds. What was sent until now may be lost from the ledger: until now the
 * installation that it was copied from may have gone on. A restore that nobody has looked behind stays one.
 *
 * @param seen when the one was that was looked behind, by `readRestoredAt`
 * @param lostUntil until when, where somebody knows it better; `null`: nothing is lost
 * @returns whether mail is held back still.
 * @throws {Refusal} `invalid` where that is before what the backup has itself
 */
export async function sayReconciled(
  em: EntityManager,
  seen: Date | null,
  lostUntil?: Date | null,
): Promise<{ isHeld: boolean }> {
  await assertLostUntil(em, lostUntil)
  const rows = await sql(
    em,
    `update installation set restored_at = null, lost_until = case
       when $1::boolean then greatest($2::timestamptz, lost_before)
       when restored_at is not null then now()
       else lost_until
     end
     where restored_at is null or date_trunc('milliseconds', restored_at) = $3::timestamptz
     returning id`,
    [lostUntil !== undefined, lostUntil?.toISOString() ?? null, seen?.toISOString() ?? null],
  )
  return { isHeld: rows.length === 0 }
}

/** @throws {Refusal} `invalid` where something is said to be lost until before what the backup has itself */
export async function assertLostUntil(em: EntityManager, lostUntil: Date | null | undefined): Promise<void> {
  const { backedUpAt } = (await readInstallation(em)) ?? {}
  if (!lostUntil || !backedUpAt || lostUntil >= backedUpAt) return
  throw invalid(
    `The backup has what happened at ${backedUpAt.toISOString()}, so that what was lost came behind that: nothing can be ` +
      `lost until ${lostUntil.toISOString()} alone. Where nothing was lost, say --nothing-lost.`,
  )
}

/** Until when what was sent may be missing in the ledger; `null` where nothing is. */
export async function readLostUntil(em: EntityManager): Promise<Date | null> {
  return (await readInstallation(em))?.lostUntil ?? null
}

/** Until when a restore before the newest one may have lost something; `null` where there is none. */
export async function readLostBefore(em: EntityManager): Promise<Date | null> {
  return (await readInstallation(em))?.lostBefore ?? null
}

/** Takes the reconciliation for whoever asks, for so long, unless another one has it. Renewed by the same. */
export async function leaseReconciliation(em: EntityManager, seconds: number, isMine: boolean): Promise<boolean> {
  const rows = await sql(
    em,
    `update installation set reconciling_until = now() + make_interval(secs => $1::float8)
     where $2::boolean or reconciling_until is null or reconciling_until < now() returning id`,
    [seconds, isMine],
  )
  return rows.length > 0
}

/** Whether the instance was restored from a backup and not reconciled yet: nothing is sent until then. */
export async function isSendingDisabled(em: EntityManager): Promise<boolean> {
  const rows = await preparedSql(
    em,
    'is-sending-disabled',
    'select from installation where restored_at is not null',
    [],
  )
  return rows.length > 0
}

/** Ends a lease of the reconciliation that lies further ahead than any is set: the clock of Postgres was set back. */
export async function shortenReconciliation(em: EntityManager, maxMinutes: number): Promise<void> {
  await sql(
    em,
    'update installation set reconciling_until = null where reconciling_until > now() + make_interval(mins => $1::integer)',
    [maxMinutes],
  )
}
