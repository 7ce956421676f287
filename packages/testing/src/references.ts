import { stepIdIn } from '../../../src/automations/index.ts'
import { idOfValues, isId } from '../../../src/platform/ids.ts'
import { orNearest } from '../../../src/platform/nearest-name.ts'
import { isObject, type JsonObject, type Kind, type Resource, type Resources } from './workspace-files.ts'

const SINGULAR = { lists: 'list', segments: 'segment', templates: 'template', automations: 'automation' } as const

/** Returns the ID of a resource, which is always the same for a name. */
export const idOf = (kind: Kind, name: string): string => idOfValues(kind, name)

/** Replaces names by IDs, and checks that the workspace has them. */
export class References {
  private readonly resources: Resources

  constructor(resources: Resources) {
    this.resources = resources
  }

  /** @throws {Error} if there is no resource with this name or path */
  find(kind: Kind, name: unknown, place: string): string {
    return idOf(kind, this.resource(kind, name, place).name)
  }

  private resource(kind: Kind, text: unknown, place: string): Resource {
    const all = this.resources[kind]
    const found = all.find(({ name }) => name === text) ?? all.find(({ path }) => path === text)
    if (found) return found
    const name = typeof text === 'string' ? text : JSON.stringify(text)
    const near = orNearest(
      name,
      all.map((each) => each.name),
    )
    throw new Error(`${place}: no ${SINGULAR[kind]} has the name "${name}"${near}`)
  }

  /** Replaces the names in a condition. The API's schema checks the rest. */
  inCondition(condition: unknown, place: string, of: 'segment' | 'automation'): unknown {
    if (!isObject(condition)) return condition
    const entries = Object.entries(condition).map(([key, value]) => {
      if (key === 'list') return [key, this.find('lists', value, place)]
      if (key === 'segment') return [key, this.find('segments', value, place)]
      // A workspace in memory has sent no campaigns.
      if (key === 'campaign') return [key, idOfValues('campaigns', String(value))]
      if (key === 'automation') return [key, this.find('automations', value, place)]
      if (key === 'message' && typeof value === 'string') return [key, this.message(value, place, of)]
      if (Array.isArray(value)) return [key, value.map((each) => this.inCondition(each, place, of))]
      return [key, key === 'not' ? this.inCondition(value, place, of) : value]
    })
    return Object.fromEntries(entries) as JsonObject
  }

  /** Finds a step of another automation, such as `automations/welcome#hello`, or a campaign: `campaigns/Sale`. */
  private message(text: string, place: string, of: 'segment' | 'automation'): string {
    const [, path, step] = /^(automations\/[^#]+)#(.+)$/.exec(text) ?? []
    if (path !== undefined) {
      const { name, value } = this.resource('automations', path, place)
      if (stepIdsIn(value['steps']).includes(step)) return stepIdIn(idOf('automations', name), step!)
      throw new Error(`${place}: ${path} has no step with the ID "${step}"`)
    }
    const [, campaign] = /^campaigns\/(.+)$/.exec(text) ?? []
    if (campaign !== undefined) return idOfValues('campaigns', campaign)
    // The API finds a step of the automation that has the condition.
    if (of === 'automation' || isId(text)) return text
    throw new Error(
      `${place}: message must be a step such as "automations/welcome#hello", or a campaign such as "campaigns/Sale", not "${text}"`,
    )
  }

  /** Replaces the names in an automation. */
  inAutomation({ triggerConfig, entry, exitOn, goal, steps, ...rest }: JsonObject, place: string): JsonObject {
    return {
      ...rest,
      ...given({
        triggerConfig: this.inTrigger(triggerConfig, place),
        entry: this.inRule(entry, `${place}: entry`),
        exitOn: eachOf(exitOn, (rule, n) => this.inRule(rule, `${place}: exitOn[${n}]`)),
        goal: this.inRule(goal, `${place}: goal`),
        steps: this.inSteps(steps, `${place}: steps`),
      }),
    }
  }

  private inTrigger(config: unknown, place: string): unknown {
    if (!isObject(config)) return config
    const { list, segment, listId = list, segmentId = segment, ...rest } = config
    const at = `${place}: triggerConfig`
    return {
      ...rest,
      ...(listId !== undefined && { listId: this.find('lists', listId, at) }),
      ...(segmentId !== undefined && { segmentId: this.find('segments', segmentId, at) }),
    }
  }

  private inRule(rule: unknown, place: string): unknown {
    if (!isObject(rule)) return rule
    const { condition, filter, ...rest } = rule
    const known = {
      condition: this.inCondition(condition, place, 'automation'),
      filter: this.inCondition(filter, place, 'automation'),
    }
    return { ...rest, ...given(known) }
  }

  private inSteps(steps: unknown, place: string): unknown {
    return eachOf(steps, (step, n) => (isObject(step) ? this.inStep(step, `${place}[${n}]`) : step))
  }

  private inStep(step: JsonObject, place: string): JsonObject {
    const { template, templateId = template, branches, filter, addToLists, removeFromLists, ...rest } = step
    const lists = (names: unknown) => eachOf(names, (name) => this.find('lists', name, place))
    return {
      ...rest,
      ...given({
        templateId: templateId == null ? templateId : this.find('templates', templateId, place),
        filter: this.inCondition(filter, place, 'automation'),
        addToLists: lists(addToLists),
        removeFromLists: lists(removeFromLists),
        branches: eachOf(branches, (branch, n) => this.inBranch(branch, `${place}.branches[${n}]`)),
        ...Object.fromEntries(
          ['else', 'received', 'timedOut'].map((key) => [key, this.inSteps(rest[key], `${place}.${key}`)]),
        ),
      }),
    }
  }

  private inBranch(branch: unknown, place: string): unknown {
    if (!isObject(branch)) return branch
    const { if: condition, steps, ...rest } = branch
    return {
      ...rest,
      ...given({ if: this.inCondition(condition, place, 'automation'), steps: this.inSteps(steps, `${place}.steps`) }),
    }
  }
}

/** Lists the IDs of steps in a file, also those in branches. */
function stepIdsIn(steps: unknown): unknown[] {
  if (!Array.isArray(steps)) return []
  return steps.filter(isObject).flatMap(({ id, branches, else: others, received, timedOut }) => {
    const inBranches = Array.isArray(branches) ? branches.filter(isObject).map((branch) => branch['steps']) : []
    return [id, ...[...inBranches, others, received, timedOut].flatMap(stepIdsIn)]
  })
}

const eachOf = (value: unknown, replace: (each: unknown, n: number) => unknown): unknown =>
  Array.isArray(value) ? value.map(replace) : value

/** Leaves out what is missing. */
const given = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
