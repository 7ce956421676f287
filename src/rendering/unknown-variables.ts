import type { Liquid, Template } from 'liquidjs'
import { closestMatch } from 'leven'
import { type UnknownVariable, VARIABLES } from './content.ts'

/** So many are told of at once, and so much of a name. */
const MOST = 5
const MAX_NAME = 60
/** In how many places a template may name variables: looking for them takes a time that grows with the square. */
const MAX_PLACES = 300
/** How many letters may be other ones where a known name is meant. */
const MAX_DISTANCE = 3

const PLACES = /\{\{|\{%|\||,|:|\band\b|\bor\b/

type Segments = ReturnType<Liquid['globalVariableSegmentsSync']>[number]

const FIELDS = new Map(Object.entries(VARIABLES))
const KNOWN = [...FIELDS].flatMap(([root, fields]) =>
  fields.length === 0 ? [root] : fields.map((field) => `${root}.${field}`),
)

/**
 * Variables that a template names and nobody gives: they are empty in every email. Found without rendering, so that it does not
 * matter for whom.
 */
export function findUnknownVariables(
  engine: Liquid,
  templates: Template[],
  source: string,
): Omit<UnknownVariable, 'field'>[] {
  if (source.split(PLACES).length > MAX_PLACES) return []
  const unknown = segmentsOf(engine, templates).filter(isUnknown).map(nameOf)
  return [...new Set(unknown)].slice(0, MOST).map((variable) => ({
    variable: variable.slice(0, MAX_NAME),
    nearest: closestMatch(variable.slice(0, MAX_NAME), KNOWN, { maxDistance: MAX_DISTANCE }),
  }))
}

function segmentsOf(engine: Liquid, templates: Template[]): Segments[] {
  try {
    return engine.globalVariableSegmentsSync(templates)
  } catch {
    // It can be rendered, and that is what counts.
    return []
  }
}

function isUnknown([root, field]: Segments): boolean {
  const fields = FIELDS.get(String(root))
  return !fields || (typeof field === 'string' && !fields.includes(field))
}

/** As far as it says what is meant: what it indexes by is not told. */
const nameOf = (segments: Segments): string =>
  segments
    .slice(0, 2)
    .filter((segment) => typeof segment === 'string')
    .join('.')
