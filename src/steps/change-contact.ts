import type { StepResult, StoredStep } from '../automation-engine/index.ts'
import { applyChange, lockContacts } from '../contacts/index.ts'
import { lockEnrollments } from '../enrollments/index.ts'
import { lockListsToJoin } from '../lists/index.ts'
import { findResult, finishRun } from './queries.ts'
import { ContextChanged, type RunStep } from './runner.ts'

/** Changes the contact, and records that in the same transaction. What it starts is left to the relay. */
export const changeContact: RunStep<Extract<StoredStep, { type: 'UPDATE_CONTACT' }>> = (dependencies, context) =>
  dependencies.em.fork().transactional(async (em): Promise<StepResult> => {
    const { workspaceId, contactId, enrollmentId, depth, step } = context
    await lockListsToJoin(em, workspaceId, step.addToLists ?? [])
    await lockContacts(em, workspaceId, [contactId])
    const enrollment = (await lockEnrollments(em, [enrollmentId])).get(enrollmentId)
    if (enrollment?.status !== 'ACTIVE') throw new ContextChanged()
    // Another attempt may have made the change while this one waited for the locks.
    const known = await findResult(em, enrollmentId, step.id)
    if (known) return known
    const skipped = await applyChange(em, { workspaceId, contactId, depth: depth + 1 }, step)
    if (!skipped) throw new ContextChanged()
    return finishRun(em, context, { result: { next: 'continue' }, detail: { skipped } })
  })
