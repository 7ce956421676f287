import { idOfValues } from '../../../src/platform/ids.ts'
import { orNearest } from '../../../src/platform/nearest-name.ts'
import { isObject, type JsonObject, type Kind, type Resources } from './workspace-files.ts'

const SINGULAR = { lists: 'list', segments: 'segment', templates: 'template', automations: 'automation' } as const

/** Returns the ID of a resource, which is always the same for a name. */
export const idOf = (kind: Kind, name: string): string => idOfValues(kind, name)

/** Replaces names by IDs, and checks that the workspace has them. */
export class References {
  private readonly resources: Resources

  constructor(resources: Resources) {
    this.resources = resources
  }

  /** @throws {Error} if there is no resource with this name */
  find(kind: Kind, name: unknown, place: string): string {
    const names = this.resources[kind].map((each) => each.name)
    if (typeof name === 'string' && names.includes(name)) return idOf(kind, name)
    const text = typeof name === 'string' ? name : JSON.stringify(name)
    throw new Error(`${place}: no ${SINGULAR[kind]} has the name "${text}"${orNearest(text, names)}`)
  }

  /** Replaces the names in a condition. The API's schema checks the rest. */
  inCondition(condition: unknown, place: string): unknown {
    if (!isObject(condition)) return condition
    const entries = Object.entries(condition).map(([key, value]) => {
      if (key === 'list') return [key, this.find('lists', value, place)]
      if (key === 'segment') return [key, this.find('segments', value, place)]
      // A workspace in memory has sent no campaigns.
      if (key === 'campaign') return [key, idOfValues('campaigns', String(value))]
      if (key === 'automation') return [key, this.find('automations', value, place)]
      if (Array.isArray(value)) return [key, value.map((each) => this.inCondition(each, place))]
      return [key, key === 'not' ? this.inCondition(value, place) : value]
    })
    return Object.fromEntries(entries) as JsonObject
  }

  /** Replaces the names in an automation, and gives each step an ID. */
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
    const known = { condition: this.inCondition(condition, place), filter: this.inCondition(filter, place) }
    return { ...rest, ...given(known) }
  }

  private inSteps(steps: unknown, place: string): unknown {
    return eachOf(steps, (step, n) => (isObject(step) ? this.inStep(step, `${place}[${n}]`) : step))
  }

  private inStep(step: JsonObject, place: string): JsonObject {
    const { template, templateId = template, branches, filter, addToLists, removeFromLists, ...rest } = step
    const lists = (names: unknown) => eachOf(names, (name) => this.find('lists', name, place))
    return {
      id: idOfValues('step', place),
      ...rest,
      ...given({
        templateId: templateId == null ? templateId : this.find('templates', templateId, place),
        filter: this.inCondition(filter, place),
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
      ...given({ if: this.inCondition(condition, place), steps: this.inSteps(steps, `${place}.steps`) }),
    }
  }
}

const eachOf = (value: unknown, replace: (each: unknown, n: number) => unknown): unknown =>
  Array.isArray(value) ? value.map(replace) : value

/** Leaves out what is missing. */
const given = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
