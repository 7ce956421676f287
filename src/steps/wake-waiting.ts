import { type Delivery, enqueueForCaller, enqueueForRelay } from '../outbox/index.ts'
import { isReachedBy } from '../enrollments/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Condition, contactMatches } from '../segments/index.ts'
import type { OtherEffects } from '../triggers/index.ts'
import { recordReceived, waitingSteps } from './queries.ts'

/** An event of a contact that has just been stored. */
export interface ArrivedEvent {
  id: string
  workspaceId: string
  contactId: string
  /** The hash of its name: see `eventKeyOf`. */
  eventKey: string
  data: unknown
  at: Date
  /** Whether the relay wakes the workflows, in the bulk lane. */
  isBulk: boolean
}

/**
 * Wakes the steps that wait for an event, and records that it ended their wait.
 *
 * @param em the transaction that stores the event, and has locked the contact
 * @returns the deliveries for the caller, and the automations that continue
 */
export async function wakeWaiting(
  em: EntityManager,
  { id, workspaceId, contactId, eventKey, data, at, isBulk }: ArrivedEvent,
): Promise<{ deliveries: Delivery[]; continued: OtherEffects['continued'] }> {
  const waking = []
  const continued: OtherEffects['continued'] = []
  for (const step of await waitingSteps(em, contactId, eventKey)) {
    if (!(await isReachedBy(em, step, data))) continue
    const { automationId, concurrencyKey, filter } = step
    const condition = filter as unknown as Condition | null
    const matches =
      condition === null || (await contactMatches(em, workspaceId, contactId, condition, { at, eventData: data }))
    if (!matches) continue
    // An earlier event has ended the wait, and the workflow has not noticed yet.
    if (!(await recordReceived(em, step, id))) continue
    continued.push({ automationId })
    waking.push({ kind: 'WAKE' as const, workspaceId, automationId, contactId, concurrencyKey })
  }
  const deliveries = isBulk ? [] : await enqueueForCaller(em, waking)
  if (isBulk) await enqueueForRelay(em, waking)
  return { deliveries, continued }
}
