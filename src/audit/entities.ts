import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'
import { Workspace } from '../workspaces/index.ts'

/** Actors of changes: a signed-in person, an API key, or an operator with the CLI. */
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
    /** Email of the person or name of the key, at the time of the change. */
    actorName: p.text(),
    /** The operationId of the API, such as `updateAutomation`. */
    operation: p.text(),
    targetId: p.uuid().nullable(),
    requestId: p.text().nullable(),
    /** The IP address of the client, for what a person does with their account. */
    address: p.text().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A change with its actor and target. Contains IDs only, no content. */
export class AuditEntry extends auditTable.class {}
auditTable.setClass(AuditEntry)
