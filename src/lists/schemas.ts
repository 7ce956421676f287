import { boolean, object } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, text } from '../http/index.ts'

const listName = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'The display name.', example: 'Newsletter' })
const isPublic = () =>
  boolean().meta({
    description: 'Whether the preferences page shows the list, with its name. Lists are private by default.',
    example: true,
  })
const listDescription = () => text().nullable().test(atMost(10_000))

/** `POST /lists`. */
export const listSchema = object({
  name: listName().required(),
  description: listDescription(),
  public: isPublic(),
  doubleOptIn: boolean().meta({
    description: 'Must not be true yet: the automation that sends the confirmation email needs the list first.',
    example: false,
  }),
}).meta({
  component: 'ListInput',
})

/** `PATCH /lists/{id}`. The route checks that there is a change. */
export const updateListSchema = object({
  name: listName(),
  description: listDescription(),
  public: isPublic(),
  doubleOptIn: boolean().meta({
    description:
      'Whether contacts must confirm by email before they join. Existing members stay. An ACTIVE automation with the trigger LIST_REQUESTED must exist.',
    example: false,
  }),
}).meta({
  component: 'ListChange',
  description: 'The fields to change, at least one.',
  json: { minProperties: 1 },
  example: { name: 'Newsletter' },
})
