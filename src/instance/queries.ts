import { createSecretKey, type KeyObject } from 'node:crypto'
import type { EntityManager } from '../platform/db/orm.ts'
import { isMailbox } from '../platform/email-address.ts'
import { FRESH_READ, sql, unitOf } from '../platform/db/sql.ts'
import { Instance } from './entities.ts'

/** How live mail leaves this instance: over SMTP, or not at all. */
export type MailMode = 'smtp' | 'capture'

const readInstallation = (em: EntityManager) => unitOf(em).findOne(Instance, { single: true }, FRESH_READ)

/** Returns the ID of this instance. Enrollments carry it, because other instances may use the same Temporal. */
export async function readInstanceId(em: EntityManager): Promise<string> {
  const instance = await readInstallation(em)
  if (!instance) throw new Error('The database has no instance: its migrations have not run')
  return instance.id
}

/** A task queue in a namespace of Temporal. */
export interface TemporalBinding {
  /** `null` in a database that was restored or copied: the next process to start records its own. */
  namespace: string | null
  /** Temporal's own ID of the namespace, which differs between two servers. `null` if unknown. */
  namespaceId: string | null
  taskQueue: string
}

/** Returns the namespace and task queue of this instance, or `null` if no process has started yet. */
export async function readTemporalBinding(em: EntityManager): Promise<TemporalBinding | null> {
  const { temporalNamespace, temporalNamespaceId, temporalTaskQueue } = (await readInstallation(em)) ?? {}
  if (temporalTaskQueue == null) return null
  return {
    namespace: temporalNamespace ?? null,
    namespaceId: temporalNamespaceId ?? null,
    taskQueue: temporalTaskQueue,
  }
}

/** Records the namespace and task queue of this instance, unless others are recorded. @returns the recorded ones */
export async function recordTemporalBinding(em: EntityManager, place: TemporalBinding): Promise<TemporalBinding> {
  await sql(
    em,
    `update instance
     set temporal_namespace = $1, temporal_task_queue = $2, temporal_namespace_id = coalesce(temporal_namespace_id, $3)
     where (temporal_namespace is null or temporal_namespace = $1)
       and (temporal_task_queue is null or temporal_task_queue = $2)`,
    [place.namespace, place.taskQueue, place.namespaceId],
  )
  return (await readTemporalBinding(em)) ?? place
}

/** Returns how this instance sends mail, or `null` if no process has chosen yet. */
export async function readMailMode(em: EntityManager): Promise<MailMode | null> {
  return (await readInstallation(em))?.mail ?? null
}

/**
 * Sets the mail mode for all processes. A single statement decides, because two processes may start concurrently. An instance
 * that delivers mail only starts capturing it on explicit request. @returns whether the mode is set
 */
export async function setMailMode(
  em: EntityManager,
  { mail, isOrder }: { mail: MailMode; isOrder: boolean },
): Promise<boolean> {
  const rows = await sql(em, SET_MAIL_MODE, [mail, isOrder])
  return rows.length > 0
}

const SET_MAIL_MODE = `
insert into instance as said (mail) values ($1)
on conflict (single) do update set mail = excluded.mail
  where excluded.mail = 'smtp' or said.mail = 'capture' or said.mail is null or $2::boolean
returning mail`

/** Returns the sender of this instance's mail, or `null` if none is set. A manipulated backup may contain an invalid one. */
export async function readMailSender(em: EntityManager): Promise<string | null> {
  const { mailFrom } = (await readInstallation(em)) ?? {}
  return mailFrom != null && isMailbox(mailFrom) ? mailFrom : null
}

/** Sets the sender of this instance's mail for all processes; `null` clears it. */
export async function setMailSender(em: EntityManager, mailFrom: string | null): Promise<void> {
  await unitOf(em).nativeUpdate(Instance, { single: true }, { mailFrom })
}

/** Returns the public URL, or `null` if none is set. A manipulated backup may contain an invalid one. */
export async function readPublicUrl(em: EntityManager): Promise<string | null> {
  const { publicUrl } = (await readInstallation(em)) ?? {}
  return publicUrl != null && /^https?:\/\//.test(publicUrl) && URL.canParse(publicUrl) ? publicUrl : null
}

export async function setPublicUrl(em: EntityManager, publicUrl: string): Promise<void> {
  await unitOf(em).nativeUpdate(Instance, { single: true }, { publicUrl })
}

/** Returns the domain that bounces are sent to, or `null` if none is set. */
export const readBounceDomain = async (em: EntityManager): Promise<string | null> =>
  (await readInstallation(em))?.bounceDomain ?? null

export async function setBounceDomain(em: EntityManager, bounceDomain: string): Promise<void> {
  await unitOf(em).nativeUpdate(Instance, { single: true }, { bounceDomain })
}

/** Returns the key that signs links in emails. @throws {Error} if there is no instance yet */
export async function readLinkSecret(em: EntityManager): Promise<KeyObject> {
  const instance = await readInstallation(em)
  if (!instance) throw new Error('The database has no instance: its migrations have not run')
  return createSecretKey(instance.linkSecret)
}

/** Returns a function that reads the same key once, because it never changes. The next caller repeats a failed read. */
export function linkSecretOf(em: EntityManager): () => Promise<KeyObject> {
  let secret: Promise<KeyObject> | undefined
  return () => {
    secret ??= readLinkSecret(em)
    secret.catch(() => (secret = undefined))
    return secret
  }
}
