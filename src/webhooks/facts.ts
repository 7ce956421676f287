import type { EventType } from './event-types.ts'

/** A field of a contact whose changes are events. */
export type ContactField = 'email' | 'externalId' | 'firstName' | 'metadata' | 'tags'

/** A bounce of a message, as its event describes it. */
interface BounceDetails {
  reason: string | null
  bounce: string
  category: string | null
}

/**
 * A change of which webhooks may want an event. The module that makes the change records it in the same transaction; the payload is read
 * from the rows that it names.
 */
export type WebhookFact = { workspaceId: string } & (
  | { type: Extract<EventType, 'contact.created' | 'contact.deleted'>; contactId: string }
  | { type: 'contact.updated'; contactId: string; changed: readonly ContactField[] }
  | {
      type: Extract<EventType, 'contact.unsubscribed' | 'contact.resubscribed'>
      contactId: string
      listId: string | null
    }
  | { type: Extract<EventType, `list.${string}`>; contactId: string; listId: string }
  | { type: Extract<EventType, `enrollment.${string}`>; enrollmentId: string }
  | { type: MessageEventType; messageId: string }
  | ({ type: BounceType; messageId: string } & BounceDetails)
  | { type: CampaignEventType; campaignId: string }
  | { type: 'import.finished'; importId: string }
)

/** Events of messages without further fields. */
export type MessageEventType = Exclude<Extract<EventType, `message.${string}`>, BounceType>
export type CampaignEventType = Extract<EventType, `campaign.${string}`>

type BounceType = 'message.bounced' | 'message.complained'
