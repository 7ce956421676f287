import { array, boolean, number, object, string, type InferType } from 'yup'
import type { List } from './queries.ts'
import { count, id, timestamp, writtenShape } from '../http/index.ts'

export const listShape = object({
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
export const writtenListShape = writtenShape(listShape, { component: 'WrittenList', scope: 'lists:read' })

export const presentList = (list: List): InferType<typeof listShape> => ({
  id: list.id,
  name: list.name,
  description: list.description,
  public: list.public,
  doubleOptIn: list.doubleOptIn,
  contactCount: list.contactCount,
  createdAt: list.createdAt.toISOString(),
  updatedAt: list.updatedAt.toISOString(),
})

/** What putting contacts into a list did. */
export const joinResultShape = object({
  listId: id('list'),
  added: count('How many contacts were put into the list.'),
  alreadyIn: count('How many were in it before.', 0),
  pending: count('How many are to confirm it first, of a list with doubleOptIn.', 0),
  failed: count('How many could not be: there is no such contact, or she has left the list by herself.', 0),
  errors: array()
    .of(
      object({
        index: number().integer().min(0).required().meta({ example: 1 }),
        error: string().required().meta({ example: 'Contact not found' }),
      }).required(),
    )
    .required()
    .meta({ description: 'Which of the contactIds, from 0.', example: [] }),
})
  .required()
  .meta({ component: 'JoinResult' })

export const tagShape = object({
  name: string().required().meta({ example: 'vip' }),
  contactCount: count('How many contacts have it.', 12),
})
  .required()
  .meta({ component: 'Tag', description: 'A word on contacts, compared without case.' })
