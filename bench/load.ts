import pMap from 'p-map'
import { newId } from '../src/platform/ids.ts'
import type { EnrollmentInput } from '../src/automation-engine/contract.ts'
import { failure, type Service } from './service.ts'
import { timed } from './compare.ts'

/** Creates contacts in a service's workspace. @returns their IDs */
export async function makeContacts(service: Service, count: number, prefix: string): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < count; from += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({
      email: `${prefix}-${from + n}@example.com`,
      tags: [prefix],
    }))
    await service.call('POST', 'contacts/bulk', { contacts })
  }
  for (let page = 1; ids.length < count; page += 1) {
    const answer = await service.call('GET', `contacts?tag=${prefix}&limit=100&page=${page}`)
    const { data } = answer.body as { data: { id: string }[] }
    ids.push(...data.map(({ id }) => id))
  }
  return ids
}

/** Returns how many items per second are processed, with a maximum number at a time. */
export async function rateOf<Item>(
  items: readonly Item[],
  concurrency: number,
  deal: (item: Item) => Promise<unknown>,
): Promise<number> {
  const milliseconds = await timed(() => pMap(items, deal, { concurrency }))
  return items.length / (milliseconds / 1_000)
}

/** Sends a JSON request as any client would. @throws {Error} when the status is not the expected one */
export async function post(baseUrl: string, key: string, path: string, body: object, expected = 202): Promise<unknown> {
  const response = await fetch(`${baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== expected) throw failure('POST', path, response.status, text)
  return JSON.parse(text) as unknown
}

/** Reads a resource as any client would. @throws {Error} when the status is not 200 */
export async function get(baseUrl: string, key: string, path: string): Promise<unknown> {
  const response = await fetch(`${baseUrl}/${path}`, { headers: { 'x-api-key': key } })
  const text = await response.text()
  if (response.status !== 200) throw failure('GET', path, response.status, text)
  return JSON.parse(text) as unknown
}

/** The input of an enrollment's workflow that is started without the API. */
export const bareInput = (
  ids: Pick<EnrollmentInput, 'enrollmentId' | 'workspaceId' | 'automationId' | 'contactId'>,
): Omit<EnrollmentInput, 'engine'> => ({
  ...ids,
  instanceId: newId(),
  enrolledAt: new Date().toISOString(),
  dedupKey: null,
  triggerEventId: null,
})
