import type { Page } from 'playwright-core'
import { newId } from '../../src/platform/ids.ts'
import type { Instance } from '../support/instance.ts'

/** Requests of an application, some of them with an error. */
const REQUESTS: readonly [method: string, path: string, body?: object][] = [
  ['POST', 'contacts', { email: 'juniper@example.net' }],
  ['GET', 'contacts?limit=10'],
  ['POST', 'events', { email: 'juniper@example.net', name: 'order.placed', data: { total: 12 } }],
  ['POST', 'contacts', { email: 'juniper@example' }],
  ['GET', 'contacts/email:juniper@example.net'],
  ['POST', 'contacts/email:juniper@example.net/tags', { tags: ['vip'] }],
  ['GET', `lists/${newId()}`],
  ['GET', 'segments'],
  ['POST', 'contacts/email:juniper@example.net/events', { name: 'cart.abandoned' }],
  ['GET', 'api-keys'],
  ['PATCH', 'contacts/email:juniper@example.net', { firstname: 'Juniper' }],
  ['GET', 'campaigns?limit=5'],
]

/** Sends requests for the page Logs. */
export async function createRequests(service: Instance, workspaceId: string): Promise<void> {
  const key = await service.newKey({ name: 'Checkout', workspaceId })
  for (const [method, path, body] of REQUESTS) await service.call(method, path, body, { key })
}

/** Opens a request with an error. */
export const openFailedRequest = (page: Page): Promise<void> =>
  page
    .getByRole('row', { name: /invalid_request/ })
    .first()
    .click({ timeout: 3_000 })
