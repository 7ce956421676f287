import { defineEntity, p } from '@mikro-orm/core'
import { Workspace } from '../workspaces/index.ts'

const requestTable = defineEntity({
  name: 'LoggedRequest',
  tableName: 'request_log',
  properties: {
    id: p.uuid().primary(),
    workspace: () => p.manyToOne(Workspace),
    apiKeyId: p.uuid(),
    method: p.text(),
    path: p.text().nullable(),
    status: p.integer(),
    errorCode: p.text().nullable(),
    errorParam: p.text().nullable(),
    durationMs: p.integer(),
    requestId: p.text(),
    createdAt: p.datetime(),
  },
})

/** A request of an API key. */
export class LoggedRequest extends requestTable.class {}
requestTable.setClass(LoggedRequest)
