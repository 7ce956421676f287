import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../../domain/ids.ts'
import type { WorkspaceMode } from '../../domain/api-key.ts'

const schema = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    name: p.text(),
    mode: p.text().$type<WorkspaceMode>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** The tenant: everything belongs to exactly one, and sees nothing of another. */
export class Workspace extends schema.class {}
schema.setClass(Workspace)
