/**
 * Adds a name to a JSON pointer. It stands in headers: what is no visible ASCII is percent-encoded, as in a URI's fragment.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901
 */
export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%7E', '~')}`

/** The JSON pointer of a path as yup writes it: `steps[0].subject` is `/steps/0/subject`. */
export const pointerOf = (path: string): string | undefined =>
  path === ''
    ? undefined
    : path
        .split(/[.[\]]+/)
        .filter(Boolean)
        .reduce(pointerTo, '')
