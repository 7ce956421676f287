import { boolean, object, string, type InferType } from 'yup'
import type { List } from './queries.ts'
import { count, id, timestamp, writtenResponse } from '../http/index.ts'

export const listResponse = object({
  id: id('list'),
  name: string().required().meta({ example: 'Newsletter' }),
  description: string().nullable().defined().meta({ example: null }),
  public: boolean().required().meta({
    description: 'Whether the preferences page shows the list.',
    example: false,
  }),
  doubleOptIn: boolean().required().meta({
    description: 'Whether contacts must confirm by email before they join.',
    example: false,
  }),
  contactCount: count('The number of contacts in the list.', 120),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
})
  .required()
  .meta({ component: 'ContactList', description: 'A named set of contacts.' })

/** The response to a write, which a key that may not read lists gets only in part. */
export const writtenListResponse = writtenResponse(listResponse, { component: 'WrittenList', scope: 'lists:read' })

export const presentList = (list: List): InferType<typeof listResponse> => ({
  id: list.id,
  name: list.name,
  description: list.description,
  public: list.public,
  doubleOptIn: list.doubleOptIn,
  contactCount: list.contactCount,
  createdAt: list.createdAt.toISOString(),
  updatedAt: list.updatedAt.toISOString(),
})
