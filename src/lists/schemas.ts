import { boolean, object } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'

const listName = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'What people call it.', example: 'Newsletter' })
const isPublic = () =>
  boolean().meta({
    description: 'Whether recipients see it, by this name, where they choose what they get. Not by itself.',
    example: true,
  })
const listDescription = () => text().nullable().test(atMost(10_000))

/** `POST /lists`. */
export const listSchema = object({
  name: listName().required(),
  description: listDescription(),
  public: isPublic(),
  doubleOptIn: boolean().meta({
    description: 'Refused where it is true: what asks to confirm names the list, and so comes behind it.',
    example: false,
  }),
}).meta({
  component: 'ListInput',
})

/** `PATCH /lists/{id}`. That it changes something is checked by the route. */
export const updateListSchema = object({
  name: listName(),
  description: listDescription(),
  public: isPublic(),
  doubleOptIn: boolean().meta({
    description:
      'Whether nobody joins it from now on who has not confirmed that she wants to: who is in it stays. An ACTIVE automation with the trigger LIST_REQUESTED asks for that, and has to be there before.',
    example: false,
  }),
}).meta({
  component: 'ListChange',
  description: 'The fields to change; at least one.',
  json: { minProperties: 1 },
  example: { name: 'Newsletter' },
})
