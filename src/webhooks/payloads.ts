import { array, mixed, number, object, string, type AnyObject, type ObjectSchema } from 'yup'
import { count, EXAMPLE_ID, id, nullableText, timestamp } from '../http/index.ts'
import { type EventType, PAYLOAD_VERSION } from './event-types.ts'

const contactFields = {
  id: id('contact'),
  email: string().required().meta({ example: 'ada@example.com' }),
  externalId: nullableText('Your own ID of the contact.', '4711'),
  firstName: nullableText('The first name.', 'Ada'),
}

const contactData = object(contactFields).required().meta({ component: 'WebhookContact' })

const changedContactData = object({
  ...contactFields,
  changed: array()
    .of(string().required().meta({ example: 'email' }))
    .required()
    .meta({ description: 'The fields that changed: email, externalId, firstName, metadata or tags.' }),
})
  .required()
  .meta({ component: 'WebhookChangedContact' })

const deletedContactData = object({ id: id('contact') })
  .required()
  .meta({ component: 'WebhookDeletedContact' })

const optOutData = object({
  ...contactFields,
  listId: nullableText('The list; null for all marketing email.'),
})
  .required()
  .meta({ component: 'WebhookOptOut' })

const membershipData = object({
  listId: id('list'),
  listName: nullableText('The name of the list.', 'Newsletter'),
  contactId: id('contact'),
  email: string().required().meta({ example: 'ada@example.com' }),
  externalId: nullableText('Your own ID of the contact.', '4711'),
})
  .required()
  .meta({ component: 'WebhookMembership' })

const enrollmentData = object({
  id: id('enrollment'),
  automationId: id('automation'),
  automationVersion: number().integer().required().meta({ example: 1 }),
  contactId: id('contact'),
  externalId: nullableText('Your own ID of the contact.', '4711'),
  status: string().required().meta({ description: 'STOPPED: an email was rejected.', example: 'COMPLETED' }),
  rule: mixed().nullable().defined().meta({ description: 'The goal or the exit rule that ended it.', example: null }),
})
  .required()
  .meta({ component: 'WebhookEnrollment' })

const messageFields = {
  id: id('message').meta({ description: 'The ID of the message, which is also the ID of a transactional email.' }),
  contactId: nullableText('The contact; null for a transactional email to an address without one.', EXAMPLE_ID),
  externalId: nullableText('Your own ID of the contact.', '4711'),
  automationId: nullableText('The automation; null for campaigns and transactional emails.'),
  enrollmentId: nullableText('The enrollment; null for campaigns and transactional emails.'),
  stepId: nullableText('The step; null for campaigns and transactional emails.'),
  campaignId: nullableText('The campaign; null for automations and transactional emails.'),
  to: string().required().meta({ example: 'ada@example.com' }),
  subject: nullableText('The subject. It is not stored for each message of a campaign.', 'Welcome'),
  status: string().required().meta({
    description: 'The status. CAPTURED instead of SENT if the mail of the workspace is captured.',
    example: 'SENT',
  }),
  reason: nullableText('Why it was not sent or not delivered.'),
}

const messageData = object(messageFields).required().meta({ component: 'WebhookMessage' })

const bouncedMessageData = object({
  ...messageFields,
  bounce: string().required().meta({ description: 'HARD, SOFT, BLOCKED or COMPLAINT.', example: 'HARD' }),
  category: nullableText('The cause, as in GET /bounces. Null for COMPLAINT.', 'MAILBOX_NOT_FOUND'),
})
  .required()
  .meta({ component: 'WebhookBouncedMessage' })

const clickedMessageData = object({
  ...messageFields,
  url: nullableText('The link that was clicked first.', 'https://example.com/plans'),
})
  .required()
  .meta({ component: 'WebhookClickedMessage' })

const campaignData = object({
  id: id('campaign'),
  name: string().required().meta({ example: 'November offers' }),
  status: string().required().meta({ example: 'SENT' }),
  recipientCount: count('Recipients so far.', 20_000),
  reason: nullableText('Why Dripline paused the campaign; null if a person did.'),
})
  .required()
  .meta({ component: 'WebhookCampaign' })

const importData = object({
  id: id('import'),
  name: string().required().meta({ example: 'customers.csv' }),
  status: string().required().meta({ description: 'DONE or FAILED.', example: 'DONE' }),
  created: count('Contacts created.', 19_000),
  updated: count('Contacts updated.', 998),
  suppressed: count('Addresses newly suppressed.', 120),
  failed: count('Rows that could not be read or written.', 2),
  reason: nullableText('Why it failed.'),
})
  .required()
  .meta({ component: 'WebhookImport' })

const testData = object({ webhookId: id('webhook') })
  .required()
  .meta({ component: 'WebhookTest' })

/** When each type of event is recorded, and its data. */
const EVENTS: Record<EventType, { summary: string; data: ObjectSchema<AnyObject> }> = {
  'contact.created': { summary: 'A contact was created', data: contactData },
  'contact.updated': { summary: 'Fields or tags of a contact changed', data: changedContactData },
  'contact.deleted': { summary: 'A contact was erased', data: deletedContactData },
  'contact.unsubscribed': {
    summary: 'A contact unsubscribed from a list or from all marketing email',
    data: optOutData,
  },
  'contact.resubscribed': { summary: 'A contact may be sent marketing email again', data: optOutData },
  'list.joined': { summary: 'A contact joined a list', data: membershipData },
  'list.left': { summary: 'A contact left a list', data: membershipData },
  'enrollment.started': { summary: 'A contact entered an automation', data: enrollmentData },
  'enrollment.completed': { summary: 'A contact completed an automation', data: enrollmentData },
  'enrollment.exited': { summary: 'A contact left an automation by a rule or a rejected email', data: enrollmentData },
  'enrollment.goal_reached': { summary: 'A contact reached the goal of an automation', data: enrollmentData },
  'enrollment.cancelled': { summary: 'An enrollment was cancelled', data: enrollmentData },
  'message.sent': { summary: 'The mail server accepted an email', data: messageData },
  'message.delivered': {
    summary: "A mail provider reported that the recipient's mail server accepted an email",
    data: messageData,
  },
  'message.deferred': { summary: 'An email was not sent yet and is tried again', data: messageData },
  'message.bounced': { summary: 'An email bounced', data: bouncedMessageData },
  'message.complained': { summary: 'A recipient marked an email as spam', data: bouncedMessageData },
  'message.failed': { summary: 'An email was rejected or could not be rendered', data: messageData },
  'message.unconfirmed': { summary: 'It is not known whether an email was sent', data: messageData },
  'message.suppressed': { summary: 'An email was not sent, because the contact must not get it', data: messageData },
  'message.opened': { summary: 'A person opened an email for the first time', data: messageData },
  'message.clicked': { summary: 'A person clicked a link of an email for the first time', data: clickedMessageData },
  'campaign.started': { summary: 'A campaign began to be sent', data: campaignData },
  'campaign.finished': { summary: 'A campaign was sent or cancelled', data: campaignData },
  'campaign.paused': { summary: 'A campaign was paused', data: campaignData },
  'import.finished': { summary: 'An import ended', data: importData },
  'webhook.test': { summary: 'A test, requested with POST /webhooks/{id}/test', data: testData },
}

const nameOf = (type: EventType): string =>
  `${type
    .split(/[._]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')}Event`

/** The payload of each type. */
const PAYLOADS = (Object.keys(EVENTS) as EventType[]).map((type) =>
  object({
    id: id('event').meta({
      description: 'The ID of the event, which is also the header webhook-id. Ignore one that you know.',
    }),
    type: string()
      .oneOf([type] as const)
      .required(),
    version: string().required().meta({ description: 'The version of the payload.', example: PAYLOAD_VERSION }),
    createdAt: timestamp('When it happened.'),
    data: EVENTS[type].data,
  })
    .required()
    .meta({ component: nameOf(type) }),
)

/** Any payload. */
export const eventResponse = object()
  .required()
  .meta({
    component: 'WebhookEvent',
    variants: PAYLOADS,
    example: {
      id: '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e',
      type: 'contact.created',
      version: PAYLOAD_VERSION,
      createdAt: '2026-11-21T09:30:00.000Z',
      data: {
        id: '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e',
        email: 'ada@example.com',
        externalId: '4711',
        firstName: 'Ada',
      },
    },
  })

/** The requests that Dripline sends, for the section `webhooks` of the OpenAPI document. */
export const webhookDescriptions = (Object.keys(EVENTS) as EventType[]).map((type, n) => ({
  name: type,
  summary: EVENTS[type].summary,
  body: PAYLOADS[n]!,
}))
