import { BUSY, Refusal } from '../platform/refusal.ts'
import { createBulkhead } from '../platform/bulkhead.ts'
import { DEFAULT_BODY_LIMIT } from './body.ts'
import type { Caller } from '../workspaces/index.ts'
import type { Operation } from './operation.ts'
import { type ApiContext, callerOf } from './state.ts'

/** How many large requests of one workspace are read and done at a time, of those that ask for pages and of those that bring bodies; how many more wait, and how long, in milliseconds. */
const AT_A_TIME = 2
const LINE = {
  longest: 50,
  patienceMs: 10_000,
  refusal: () =>
    new Refusal(BUSY, {
      message: 'Too many large requests of this workspace are at work at the moment; please try again',
    }),
}

/**
 * Has the large requests of a workspace take turns before anything of them is read: each is megabytes of memory for as long as
 * its client likes to send, and a share of the processor and of Postgres behind that.
 */
export function createLargeTurns() {
  const inTurn = createBulkhead(AT_A_TIME, LINE)
  return (operation: Operation, ctx: ApiContext, serve: () => Promise<void>): Promise<void> =>
    isLarge(operation, ctx) ? inTurn(lineOf(operation, callerOf(ctx)), serve) : serve()
}

/** Whoever sends slowly keeps no page from anybody, and whoever may only read keeps nothing from others. */
function lineOf({ method, changesNothing }: Operation, { workspace, by }: Caller): string {
  if (method === 'GET') return `${workspace.id} pages`
  const own = by.kind === 'key' ? by.apiKey.id : by.person.accountId
  return `${workspace.id} ${changesNothing ? `questions of ${own}` : 'bodies'}`
}

/** By what the client says of its length; who says nothing may send all that the operation takes. */
function isLarge({ bulk, bodyLimit = DEFAULT_BODY_LIMIT }: Operation, { req }: ApiContext): boolean {
  const length = Number(req.headers['content-length'] ?? Infinity)
  return bulk === true || (bodyLimit.bytes > DEFAULT_BODY_LIMIT.bytes && length > DEFAULT_BODY_LIMIT.bytes)
}
