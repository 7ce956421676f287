import { DriplineError } from '../api/client.ts'
import { ERROR_SENTENCES } from './error-words.ts'

/**
 * Returns the error of an API response by the field that it concerns: `/abTest/variants/0/subject` is `abTest.variants.0.subject`.
 * Empty if it concerns no field.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof DriplineError) || !error.param?.startsWith('/')) return {}
  const path = error.param.slice(1).replaceAll('/', '.')
  return { [path]: ERROR_SENTENCES[error.code] ?? inWords(error.message) }
}

/** Messages begin with the name of the field in the API, which the label says already. */
function inWords(message: string): string {
  // An empty field has other faults too, which do not matter yet.
  if (/^(.*; )?\S+ is required(;|$)/.test(message)) return 'This is required'
  const [, verb, rest] = /^\S+ (is|are|must|has|contains|needs) (.*)$/s.exec(message) ?? []
  if (verb === undefined) return message
  return `This ${verb === 'are' ? 'is' : verb} ${rest}`
}
