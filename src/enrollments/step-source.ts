import { lockAutomationsShared } from '../automations/index.ts'
import { lockContactsShared } from '../contacts/index.ts'
import { countConfirmationEmails } from '../lists/index.ts'
import type { MessageSource, Prepared, SourceContext, StepRef } from '../messages/index.ts'
import { emailKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { canSend } from '../automation-engine/index.ts'
import { type EmailStep, lockEnrollments, readEmailStep, unpauseEnrollments } from './step-queries.ts'

/** Send context of a step's email; `undefined` if the version has no such step. */
export function contextOf(step: EmailStep): SourceContext | undefined {
  const { workspaceId, automationId, contactId, content, category, onSendFailure, event, stepData, pauseCount } = step
  if (content === null) return undefined
  const listOf = (trigger: EmailStep['trigger']) => (step.trigger === trigger ? step.triggerKey : null)
  const joined = listOf('LIST_ADDED')
  const requested = listOf('LIST_REQUESTED')
  return {
    workspaceId,
    automationId,
    contactId,
    content,
    category,
    onSendFailure,
    event,
    steps: stepData,
    pauseCount,
    listIds: joined === null ? [] : [joined],
    confirmation: requested === null ? null : { listId: requested, requestId: step.confirmationId },
  }
}

function refOf({ ref }: Prepared): StepRef {
  if (ref.kind !== 'step') throw new Error('The message does not belong to a step')
  return ref
}

/**
 * The email steps of automations. Locks in the order automation, contact, enrollment.
 *
 * Race: a pause, a deletion, an opt-out, an erasure or the end of the enrollment against a claim. Guard: the claim shares the
 * locks of the automation and the contact and takes the enrollment's, and whatever stops it takes one of them exclusively. Test:
 * test/messages/claims.test.ts.
 */
export const stepSource: MessageSource = {
  async load(em, { ref }, intent) {
    if (ref.kind !== 'step') return undefined
    const step = await readEmailStep(em, ref.enrollmentId, ref.stepId)
    if (!step || (intent !== 'resend' && !canSend(step.automationStatus))) return undefined
    return contextOf(step)
  },

  async lockForClaim(em, messages) {
    const automationIds = [...new Set(messages.map(({ automationId }) => automationId!))]
    const contactIds = [...new Set(messages.map(({ contactId }) => contactId))]
    const sending = messages.filter(({ intent }) => intent === 'send')
    const enrollmentIds = sending.map((message) => refOf(message).enrollmentId)
    const [automations, contacts, enrollments] = await Promise.all([
      lockAutomationsShared(em, automationIds),
      lockContactsShared(em, contactIds),
      lockEnrollments(em, enrollmentIds),
    ])
    return messages.filter((message) => {
      const automation = automations.get(message.automationId!)
      const contact = contacts.get(message.contactId)
      if (automation === undefined || contact === undefined) return false
      if (message.intent !== 'resend' && !canSend(automation)) return false
      if (contact.email !== message.contact.email || contact.consentVersion !== message.consentVersion) return false
      if (message.intent !== 'send') return true
      const enrollment = enrollments.get(refOf(message).enrollmentId)
      return enrollment?.status === 'ACTIVE' && enrollment.pauseCount === message.pauseCount
    })
  },

  async claimed(em, messages, sending) {
    // A final status continues the enrollment just as a transmission does.
    const paused = messages.filter(({ intent, pauseCount }) => intent === 'send' && pauseCount > 0)
    if (paused.length > 0)
      await unpauseEnrollments(
        em,
        paused.map((message) => refOf(message).enrollmentId),
      )
    await countConfirmationEmails(
      em,
      sending.flatMap(({ id: messageId, workspaceId, confirmation, contact }) =>
        confirmation
          ? [{ messageId, workspaceId, listId: confirmation.listId, emailKey: emailKey(contact.email) }]
          : [],
      ),
    )
  },

  lockForDeferral: async (em, messages) => endedAmong(em, messages),
}

async function endedAmong(em: EntityManager, messages: readonly Prepared[]): Promise<ReadonlySet<Prepared>> {
  const enrollments = await lockEnrollments(
    em,
    messages.map((message) => refOf(message).enrollmentId),
  )
  return new Set(messages.filter((message) => enrollments.get(refOf(message).enrollmentId)?.status !== 'ACTIVE'))
}
