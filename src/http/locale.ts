import { setLocale } from 'yup'
import { nearestName, orMeant } from '../platform/nearest-name.ts'

/** The value that was probably meant, in the right case or nearly. */
function nearestOf(value: unknown, known: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined
  return known.find((each) => each.toLowerCase() === value.toLowerCase()) ?? nearestName(value, known)
}

/** The API's wording of yup's messages: the field, and what would be valid. Paths look like `steps[0].subject`. */
setLocale({
  mixed: {
    required: '${path} is required',
    defined: '${path} is required',
    notNull: '${path} must not be null',
    notType: ({ path, type }: { path: string; type: string }) =>
      `${path} must be ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`,
    oneOf: ({ path, values, value }: { path: string; values: string; value?: unknown }) =>
      `${path} must be one of: ${values}${orMeant(nearestOf(value, values.split(', ')))}`,
  },
  string: {
    max: '${path} must not be longer than ${max} characters',
    min: '${path} must not be shorter than ${min} characters',
  },
  number: {
    min: '${path} must be at least ${min}',
    max: '${path} must be at most ${max}',
    integer: '${path} must be an integer',
  },
  array: {
    max: '${path} must not exceed ${max} items',
    min: '${path} must have at least ${min} items',
  },
})
