import { enqueueNotices, type NoticeSubject } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { ownersOf } from './queries.ts'

/** Enqueues an email to each owner of the workspace of each subject, in the transaction of the caller. */
export async function notifyOwners(em: EntityManager, subjects: readonly NoticeSubject[]): Promise<void> {
  const owners = await ownersOf(em, [...new Set(subjects.map(({ workspaceId }) => workspaceId))])
  const noticesOf = (subject: NoticeSubject) =>
    owners.filter(({ workspaceId }) => workspaceId === subject.workspaceId).map((owner) => ({ ...subject, ...owner }))
  await enqueueNotices(em, subjects.flatMap(noticesOf))
}
