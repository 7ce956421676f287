import type { Operation } from '../operation.ts'
import { respond } from '../respond.ts'
import type { RunOperation } from '../run-operation.ts'
import { type ApiMiddleware, callerOf } from '../state.ts'

/** Runs an operation and responds. */
export const handle = (operation: Operation, run: RunOperation): ApiMiddleware =>
  async function handle(ctx) {
    const { attempt, requestId, visitor, query, body } = ctx.state
    const answer = await run(operation, {
      ...{ caller: callerOf(ctx), visitor, requestId, attempt },
      ...{
        params: ctx.params,
        query,
        body: body?.json,
        ifMatch: ctx.req.headers['if-match'],
      },
    })
    respond(ctx, answer)
  }
