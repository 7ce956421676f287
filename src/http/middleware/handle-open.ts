import { normalizeId } from '../../platform/ids.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { Operation } from '../operation.ts'
import { parse } from '../parse.ts'
import { respond } from '../respond.ts'
import type { ApiMiddleware } from '../state.ts'
import { logOf } from './request-id.ts'

/** Runs an operation that is in no workspace, such as signing in. Its handler has its own transactions and audit entries. */
export const handleOpen = (operation: Operation, dependencies: ApiDependencies): ApiMiddleware =>
  async function handleOpen(ctx) {
    const { visitor, requestId, body } = ctx.state
    const request = {
      params: Object.fromEntries(Object.entries(ctx.params).map(([name, text]) => [name, normalizeId(text)])),
      query: {},
      body: operation.body ? parse(operation.body, body?.json) : {},
      visitor,
    } as unknown as Parameters<Operation['handle']>[0]
    respond(ctx, await operation.handle(request, { ...dependencies, log: logOf(dependencies.log, requestId) }))
  }
