import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'
import { Workspace } from '../workspaces/index.ts'

/** Who changes something: somebody who is signed in, a key, or whoever has a shell on the machine. */
export const ACTORS = ['person', 'key', 'command line'] as const
export type Actor = (typeof ACTORS)[number]

const auditTable = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspace: () => p.manyToOne(Workspace),
    actor: p.text().$type<Actor>(),
    actorId: p.uuid().nullable(),
    /** As it was called then: a person's email, or a key's name. */
    actorName: p.text(),
    /** As the API's description calls it, such as `updateAutomation`. */
    operation: p.text(),
    targetId: p.uuid().nullable(),
    requestId: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A change, by whom, and to what: ids alone, and nothing of what was written. */
export class AuditEntry extends auditTable.class {}
auditTable.setClass(AuditEntry)
