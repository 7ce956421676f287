/**
 * Adds a name to a JSON pointer. Pointers are sent in headers, so characters outside of visible ASCII are percent-encoded, as in
 * the fragment of a URI.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%7E', '~')}`

/** Converts a path of yup to a JSON pointer: `steps[0].subject` is `/steps/0/subject`. */
export const pointerOf = (path: string): string | undefined =>
  path === ''
    ? undefined
    : path
        .split(/[.[\]]+/)
        .filter(Boolean)
        .reduce(pointerTo, '')
