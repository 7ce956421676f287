import { boolean, object, string, type InferType } from 'yup'
import type { List } from './queries.ts'
import { count, id, timestamp, writtenResponse } from '../http/index.ts'

export const listResponse = object({
  id: id('list'),
  name: string().required().meta({ example: 'Newsletter' }),
  description: string().nullable().defined().meta({ example: null }),
  public: boolean().required().meta({
    description: 'Whether recipients see it where they choose what they get.',
    example: false,
  }),
  doubleOptIn: boolean().required().meta({
    description: 'Whether nobody joins it who has not confirmed that she wants to.',
    example: false,
  }),
  contactCount: count('How many contacts are in it.', 120),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
})
  .required()
  .meta({ component: 'ContactList', description: 'A named set of contacts.' })

/** A list, as whoever has changed it is told. */
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
