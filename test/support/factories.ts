import { eventually } from './eventually.ts'
import type { Service } from './service.ts'

let count = 0

export const EMAIL = { type: 'EMAIL', subject: 'Hello {{ contact.firstName }}', text: 'Hi' }
export const wait = (delayMinutes: number) => ({ type: 'WAIT', delayMinutes })

/** Creates a contact over HTTP. @returns its ID */
export async function aContact(service: Service, fields: object = {}): Promise<string> {
  const { body } = await service.call('POST', 'contacts', { email: `contact-${(count += 1)}@example.com`, ...fields })
  return (body as { data: { id: string } }).data.id
}

/** Returns the address of a contact. */
export async function addressOf(service: Service, contactId: string): Promise<string> {
  const { body } = await service.call('GET', `contacts/${contactId}`)
  return (body as { data: { email: string } }).data.email
}

/** Creates an active automation over HTTP. @returns its ID */
export async function anAutomation(service: Service, fields: object = {}): Promise<string> {
  const { body } = await service.call('POST', 'automations', {
    name: `Automation ${(count += 1)}`,
    status: 'ACTIVE',
    trigger: 'EVENT',
    // The event is never fired: contacts are enrolled through the API.
    triggerConfig: { eventName: `entered manually ${count}` },
    steps: [EMAIL],
    ...fields,
  })
  return (body as { data: { id: string } }).data.id
}

export const enroll = (service: Service, automationId: string, contactId: string, fields: object = {}) =>
  service.call('POST', `automations/${automationId}/enroll`, { contactId, ...fields })

interface ActivityItem {
  status: string
  subject: string
  to: string
  error: string | null
  attempts: number
  messageId: string | null
  deliveredAt: string | null
}

export async function activityOf(service: Service, contactId: string): Promise<ActivityItem[]> {
  const { body } = await service.call('GET', `contacts/${contactId}/activity`)
  return (body as { data: ActivityItem[] }).data
}

/** Waits until the emails to a contact are recorded as sent, and returns them: an email arrives before its outcome is recorded. */
export const sentTo = (service: Service, contactId: string): Promise<ActivityItem[]> =>
  eventually('its emails are recorded as sent', async () => {
    const items = await activityOf(service, contactId)
    return items.length > 0 && items.every(({ status }) => status === 'SENT') ? items : undefined
  })

export const anEvent = (service: Service, contactId: string, name: string, data?: object) =>
  service.call('POST', `contacts/${contactId}/events`, { name, ...(data ? { data } : {}) })

/** Creates a list over HTTP. @returns its ID */
export async function aList(service: Service): Promise<string> {
  const { body } = await service.call('POST', 'lists', { name: `List ${(count += 1)}` })
  return (body as { data: { id: string } }).data.id
}
