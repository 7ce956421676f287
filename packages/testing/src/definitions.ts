import {
  asRehearsable,
  createAutomationSchema,
  mapSteps,
  normalizeTrigger,
  type Rehearsable,
  type StepInput,
} from '../../../src/automations/index.ts'
import { parse } from '../../../src/http/index.ts'
import { listSchema } from '../../../src/lists/index.ts'
import { prepare, type RehearsedAutomation, rulesOf } from '../../../src/rehearsal/index.ts'
import { type Condition, problemAmong, segmentSchema } from '../../../src/segments/index.ts'
import { triggerKey } from '../../../src/triggers/index.ts'
import { isTimeZone } from '../../../src/platform/time-zone.ts'
import { checkEmails } from './rendering.ts'
import { idOf, References } from './references.ts'
import type { JsonObject, Resource, Resources } from './workspace-files.ts'

/** An automation that contacts can enter. */
export interface TestedAutomation {
  name: string
  rehearsable: Rehearsable
  prepared: RehearsedAutomation
  /** The key of what starts it; `null` if nothing does. */
  triggerKey: string | null
}

/** The resources of a workspace, valid as for the API. */
export interface Definitions {
  timezone: string
  /** The names of lists, by their IDs. */
  lists: ReadonlyMap<string, string>
  /** The conditions of segments, by their IDs. */
  segments: ReadonlyMap<string, Condition>
  automations: ReadonlyMap<string, TestedAutomation>
}

/** Checks resources with the schemas of the API. @throws {Error} that names the place */
export function readDefinitions({ timezone = 'UTC', ...resources }: Resources): Definitions {
  if (!isTimeZone(timezone)) throw new Error(`timezone must be a time zone such as Europe/Berlin, not ${timezone}`)
  const references = new References(resources)
  for (const list of resources.lists) at(list, () => parse(listSchema, list.value))
  return {
    timezone,
    lists: new Map(resources.lists.map(({ name }) => [idOf('lists', name), name])),
    segments: readSegments(resources.segments, references),
    automations: new Map(
      resources.automations.map((each) => [each.name, readAutomation(each, references, resources.templates)]),
    ),
  }
}

function readSegments(segments: readonly Resource[], references: References): Map<string, Condition> {
  const known = new Map(
    segments.map((segment): [string, Condition] => {
      const { place, name, value } = segment
      const body = { ...value, condition: references.inCondition(value['condition'], place, 'segment') }
      const { condition } = at(segment, () => parse(segmentSchema, body))
      return [idOf('segments', name), condition]
    }),
  )
  for (const { place, name } of segments) {
    const segmentId = idOf('segments', name)
    const problem = problemAmong(known, known.get(segmentId)!, { path: 'condition', segmentId, referring: [] })
    if (problem !== undefined) throw new Error(`${place}: ${problem}`)
  }
  return known
}

function readAutomation(
  automation: Resource,
  references: References,
  templates: readonly Resource[],
): TestedAutomation {
  const { place, name, value } = automation
  const body = references.inAutomation(value, place)
  const rehearsable = at(automation, () => {
    const input = normalizeTrigger(parse(createAutomationSchema, body))
    const steps = input.steps && mapSteps(input.steps, (step) => withTemplate(step, templates))
    return asRehearsable(idOf('automations', name), { ...input, steps })
  })
  at(automation, () => checkEmails(rehearsable))
  const { trigger, triggerConfig } = rehearsable
  return { name, rehearsable, prepared: prepare(rulesOf(rehearsable)), triggerKey: triggerKey(trigger, triggerConfig) }
}

/** Copies the source of a template into a step. It is not compiled. */
function withTemplate(step: StepInput, templates: readonly Resource[]): StepInput {
  if (step.type !== 'EMAIL' || step.templateId == null) return step
  const { value } = templates.find(({ name }) => idOf('templates', name) === step.templateId)!
  const translations = Array.isArray(value['translations']) ? (value['translations'] as JsonObject[]) : []
  const made = {
    version: 1,
    content: contentOf(value),
    translations: Object.fromEntries(
      translations.map((each) => [String(each['locale']).toLowerCase(), contentOf(each)]),
    ),
  }
  return { ...step, made }
}

const contentOf = ({ subject, html, text }: JsonObject) => ({
  subject: typeof subject === 'string' ? subject : '',
  html: typeof html === 'string' ? html : null,
  text: typeof text === 'string' ? text : null,
})

/** Adds the place to the message of an error. */
function at<Result>({ place }: Resource, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error })
  }
}
