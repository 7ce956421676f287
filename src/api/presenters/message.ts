import type { Message } from '../../db/entities/message.ts'

/** A message, as an item of a contact's activity. */
export const presentMessage = (message: Message) => ({
  id: message.id,
  type: 'MESSAGE',
  status: message.status,
  automationId: message.automationId,
  enrollmentId: message.enrollmentId,
  stepId: message.stepId,
  to: message.recipient ?? null,
  subject: message.subject ?? null,
  html: message.html ?? null,
  text: message.text ?? null,
  messageId: message.messageId ?? null,
  attempts: message.attempts,
  response: message.response ?? null,
  error: message.error ?? null,
  createdAt: message.createdAt.toISOString(),
  sentAt: message.sentAt?.toISOString() ?? null,
})
