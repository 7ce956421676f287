import { type AnyObject, object, type ObjectSchema, type Schema } from 'yup'
import type { Caller } from './caller.ts'
import type { Scope } from './scopes.ts'

/**
 * The response to a write. For a key without the read scope it has only the ID and the fields that the call set. Otherwise, a
 * trivial change would be enough to read the whole resource.
 */
export const writtenResponse = <Fields extends AnyObject>(
  shape: ObjectSchema<Fields>,
  { component, scope }: { component: string; scope: Scope },
): ObjectSchema<Fields> =>
  object(
    Object.fromEntries(
      Object.entries(shape.fields).map(([name, field]) => [
        name,
        name === 'id' ? field : (field as unknown as Schema).optional(),
      ]),
    ) as typeof shape.fields,
  )
    .required()
    .meta({
      component,
      description: `The resource after the change. Without the scope ${scope}, only its ID and the fields that the call set.`,
    }) as unknown as ObjectSchema<Fields>

/** Picks the fields that the writer may see. @param given the fields that the call set */
export const presentForWriter = <Data extends object>(
  { scopes }: Caller,
  scope: Scope,
  data: Data,
  given: object,
): Partial<Data> =>
  scopes.includes(scope)
    ? data
    : (Object.fromEntries(
        Object.entries(data).filter(([name]) => name === 'id' || Object.hasOwn(given, name)),
      ) as Partial<Data>)

/** The description of a write operation's response. */
export const writeOnlyNote = (scope: Scope): string =>
  `For a key without the scope ${scope}, the response has only the ID and the fields that this call set.`
