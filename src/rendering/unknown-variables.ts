import type { Liquid, Template } from 'liquidjs'
import { type UnknownVariable, VARIABLES } from './content.ts'
import { nearestName } from '../platform/nearest-name.ts'

/** The maximum number of variables in one report, and the maximum length of a name in it. */
const MAX_VARIABLES = 5
const MAX_NAME = 60
/** The maximum number of positions at which a template may use variables. The time of the search grows with the square. */
const MAX_REFERENCES = 300
/** The maximum edit distance to a known name. */
const MAX_DISTANCE = 3

const SEPARATORS = /\{\{|\{%|\||,|:|\band\b|\bor\b/

type Segments = ReturnType<Liquid['globalVariableSegmentsSync']>[number]

const FIELDS = new Map(Object.entries(VARIABLES))
const KNOWN = [...FIELDS].flatMap(([root, fields]) =>
  fields === 'any' || fields.length === 0 ? [root] : fields.map((field) => `${root}.${field}`),
)

/**
 * Finds the variables that a template uses but that are never set: they are empty in every email. It does not render the
 * template, so the result does not depend on a contact.
 */
export function findUnknownVariables(
  engine: Liquid,
  templates: Template[],
  source: string,
): Omit<UnknownVariable, 'field'>[] {
  if (source.split(SEPARATORS).length > MAX_REFERENCES) return []
  const unknown = segmentsOf(engine, templates).filter(isUnknown).map(nameOf)
  return [...new Set(unknown)].slice(0, MAX_VARIABLES).map((variable) => ({
    variable: variable.slice(0, MAX_NAME),
    nearest: nearestName(variable.slice(0, MAX_NAME), KNOWN, MAX_DISTANCE),
  }))
}

function segmentsOf(engine: Liquid, templates: Template[]): Segments[] {
  try {
    return engine.globalVariableSegmentsSync(templates)
  } catch {
    // The template can be rendered, so there is nothing to report.
    return []
  }
}

function isUnknown([root, field]: Segments): boolean {
  const fields = FIELDS.get(String(root))
  return !fields || (fields !== 'any' && typeof field === 'string' && !fields.includes(field))
}

/** The first two segments of a name, without indexes. */
const nameOf = (segments: Segments): string =>
  segments
    .slice(0, 2)
    .filter((segment) => typeof segment === 'string')
    .join('.')
