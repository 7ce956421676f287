import type { ContactInAutomation } from '../automation-engine/index.ts'
import type { Caller } from '../http/index.ts'
import { findAutomation } from '../automations/index.ts'
import { endWaits, hasActive, NOT_ENROLLED } from '../enrollments/index.ts'
import { type Dependencies, enqueueForCaller } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { type Call, whenDurable } from '../platform/call.ts'
import { isId } from '../platform/ids.ts'
import { endRunWaits } from '../steps/index.ts'
import { NOT_WAITING, TEST_WORKSPACE_ONLY } from './errors.ts'

/**
 * Ends the present wait of a contact in an automation, with all concurrency keys. The workflow is signalled after the commit, or by
 * the relay.
 *
 * @param dependencies.em a transaction
 * @throws {ApiError} `not-found`; `test_workspace_only`; `not_waiting`
 */
export async function skipWait(
  dependencies: Dependencies,
  workspace: Caller['workspace'],
  { automationId, contactId }: ContactInAutomation,
  call: Call,
): Promise<void> {
  const { em } = dependencies
  const workspaceId = workspace.id
  await findAutomation(em, workspaceId, automationId)
  if (!isId(contactId)) throw new ApiError(NOT_ENROLLED)
  const place = { automationId, contactId }
  if (!(await hasActive(em, place))) throw new ApiError(NOT_ENROLLED)
  if (workspace.mode !== 'test') throw new ApiError(TEST_WORKSPACE_ONLY)
  const ended = await endWaits(em, place)
  if (ended.length === 0) throw new ApiError(NOT_WAITING)
  await endRunWaits(
    em,
    ended.map(({ enrollmentId }) => enrollmentId),
    new Date(),
  )
  const skips = ended.map((enrollment) => ({ kind: 'SKIP' as const, workspaceId, ...place, ...enrollment }))
  const deliveries = await enqueueForCaller(em, skips)
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, deliveries))
}
