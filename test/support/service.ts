import type { Context } from '../../src/runtime/context.ts'
import type { WorkspaceMode } from '../../src/http/caller.ts'
import { SCOPES } from '../../src/http/scopes.ts'
import { createApiKey, type NewApiKey } from '../../src/workspaces/create-api-key.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { assertDescribed } from './contract.ts'
import { assertAudited } from './operations-table.ts'

export interface Answer {
  status: number
  /** The status and the code of an error, such as `404 contact_not_found`. */
  refused: string | undefined
  headers: Headers
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into answers of all shapes
  body: any
}

export interface CallOptions {
  key?: string | null
  headers?: Record<string, string>
  /** A raw body, instead of `body` as JSON. */
  raw?: string | Uint8Array<ArrayBuffer>
}

/** A running service, as a caller with a key of one workspace uses it. */
export interface Service {
  context: Context
  port: number
  workspaceId: string
  key: string
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Creates a key without a limit that a test could reach. Without `workspaceId`, it is one of a new workspace. */
  newKey(options?: Partial<NewApiKey> & { mode?: WorkspaceMode }): Promise<string>
}

/** Returns the service without a workspace. */
export function serviceAt(context: Context, port: number): Service {
  const { em } = context.orm
  const service: Service = {
    context,
    port,
    workspaceId: '',
    key: '',
    async call(method, path, body, { key = service.key, headers = {}, raw } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const full = path.startsWith('/') ? path : `/api/v1/${path}`
      const response = await fetch(`http://127.0.0.1:${port}${full}`, {
        method,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(payload === undefined ? {} : { body: payload }),
      })
      const text = await response.text()
      const { status, headers: given } = response
      const code = given.get('x-error-code')
      const refused = code === null ? undefined : `${status} ${code}`
      const answer = { status, refused, headers: given, body: text ? JSON.parse(text) : undefined }
      assertDescribed(method, full, answer)
      await assertAudited(context.orm, method, full, answer)
      return answer
    },
    async newKey({ mode = 'live', workspaceId, ...options } = {}) {
      const id = workspaceId ?? (await createWorkspace(em, { name: 'Another', mode })).id
      const key = { workspaceId: id, name: 'Test', scopes: SCOPES, rateLimit: 1_000_000, ...options }
      return (await createApiKey(em, key)).key
    },
  }
  return service
}

/** Returns the service with a new workspace and a key of it. */
export async function serviceWithWorkspace(context: Context, port: number): Promise<Service> {
  const service = serviceAt(context, port)
  service.workspaceId = (await createWorkspace(context.orm.em, { name: 'Test', mode: 'live' })).id
  service.key = await service.newKey({ workspaceId: service.workspaceId })
  return service
}
