import { closestMatch } from 'leven'

const MAX_KNOWN = 10
/** The number of letters that may differ from a known name: at most half of a short name. */
const maxDistanceOf = (name: string): number => Math.min(3, Math.ceil(name.length / 2))

/** The known name that is most similar to an unknown one; `undefined` if none is similar. */
export const nearestName = (
  name: string,
  known: readonly string[],
  maxDistance = maxDistanceOf(name),
): string | undefined => closestMatch(name, known, { maxDistance })

/**
 * The end of a message about an unknown name. Suggests the known name that it is a synonym of, or the nearest one, or lists all if
 * none is similar and they are few.
 */
export function orNearest(
  name: string,
  known: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): string {
  const nearest = Object.hasOwn(synonyms, name) ? synonyms[name] : nearestName(name, known)
  if (nearest !== undefined) return orMeant(nearest)
  return known.length > 0 && known.length <= MAX_KNOWN ? `; known names: ${known.join(', ')}` : ''
}

/** The end of a message that suggests a known name. */
export const orMeant = (nearest: string | undefined): string =>
  nearest === undefined ? '' : `; did you mean ${nearest}?`
