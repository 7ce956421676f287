import { orNearest } from './convert.ts'
import { idInApi, type StepIds } from './steps.ts'
import type { Kind, Referable } from './shapes.ts'

/** A resource to which others can refer. */
export interface Named {
  kind: Kind | 'campaigns'
  name: string
  /** The path of its file, if it has one. */
  path?: string
  /** Missing until it is created. */
  id?: string
  /** The steps of an automation, by their IDs in the file. */
  steps?: StepIds
}

/** The ID of a resource that does not exist yet. */
const PENDING = 'new:'
export const isPending = (id: string): boolean => id.startsWith(PENDING)
export const pendingPathOf = (id: string): string => id.slice(PENDING.length)

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const isId = (text: string): boolean => ID.test(text)

/** The meaning of a reference in a file. An ID that the workspace does not have is `unknown`. */
export type Found = { id: string; isUnknown?: true } | { problem: string }

const SINGULAR: Readonly<Record<Referable, string>> = {
  lists: 'list',
  segments: 'segment',
  templates: 'template',
  automations: 'automation',
  campaigns: 'campaign',
}

const push = (map: Map<string, Named[]>, key: string, one: Named) => void map.set(key, [...(map.get(key) ?? []), one])
const idOf = ({ id, path }: Named): string => id ?? PENDING + path

/** Finds resources by the names in files, and names by the IDs of the API. */
export class Names {
  readonly #byName = new Map<string, Named[]>()
  readonly #byPath = new Map<string, Named>()
  readonly #byId = new Map<string, Named>()
  /** The places of steps, such as `automations/welcome#first`, by their IDs in the workspace, and the other way round. */
  readonly #placeOfStep = new Map<string, string>()
  readonly #stepAt = new Map<string, string>()
  readonly #names = new Map<string, string[]>()

  /** @param all the resources with files, and those without that only exist in the workspace */
  constructor(all: readonly Named[]) {
    for (const one of all) {
      push(this.#byName, `${one.kind}/${one.name}`, one)
      this.#names.set(one.kind, [...(this.#names.get(one.kind) ?? []), one.name])
      if (one.path !== undefined) this.#byPath.set(one.path, one)
      this.#byId.set(idOf(one), one)
    }
  }

  /** Declares the steps of the automation of a file, to which the conditions of others can refer. */
  addSteps(path: string, ids: readonly string[], steps: StepIds): void {
    for (const id of ids) {
      const place = `${path}#${id}`
      this.#placeOfStep.set(idInApi(steps, id), place)
      this.#stepAt.set(place, idInApi(steps, id))
    }
  }

  /** Finds a resource by its name or path. */
  find(to: Referable, text: string): Found {
    const named = this.#byName.get(`${to}/${text}`) ?? []
    // A file comes before a resource that only the workspace has.
    const withFile = named.filter(({ path }) => path !== undefined)
    const [one, other] = withFile.length > 0 ? withFile : named
    const what = SINGULAR[to]
    if (other)
      return {
        problem:
          one!.path === undefined
            ? `The workspace has several ${to} called "${text}". Rename all but one.`
            : `Several ${to} are called "${text}". Use the path of one, such as "${one!.path}".`,
      }
    const found = one ?? (text.startsWith(`${to}/`) ? this.#byPath.get(text) : undefined)
    if (found) return { id: idOf(found) }
    if (isId(text)) return { id: text.toLowerCase(), isUnknown: true }
    return { problem: `There is no ${what} called "${text}"${orNearest(text, this.#names.get(to) ?? [])}` }
  }

  /** Finds a step of another automation, such as `automations/welcome#first`, or a campaign: `campaigns/Sale`. */
  findMessage(text: string): Found {
    const [, path, step] = /^(automations\/[^#]+)#(.+)$/.exec(text) ?? []
    const automation = path === undefined ? undefined : this.#byPath.get(path)
    if (automation) {
      const known = this.#stepAt.get(text)
      if (known === undefined) return { problem: `${path}.yaml has no step with the ID "${step}".` }
      return { id: automation.id === undefined ? PENDING + path : known }
    }
    const [, campaign] = /^campaigns\/(.+)$/.exec(text) ?? []
    if (campaign !== undefined) return this.find('campaigns', campaign)
    if (isId(text)) return { id: text.toLowerCase(), isUnknown: true }
    return {
      problem:
        `"${text}" is not the ID of a step of this automation, a step of another one such as ` +
        '"automations/welcome#first", or a campaign such as "campaigns/Sale".',
    }
  }

  /** Returns how a file refers to a resource: by its name, its path if several have the name, or the ID of a deleted one. */
  textOf(to: Referable, id: string): string {
    const one = this.#byId.get(id)
    if (one?.kind !== to) return id
    const isUnique = this.#byName.get(`${to}/${one.name}`)!.length === 1 && !isId(one.name)
    return isUnique ? one.name : (one.path ?? id)
  }

  messageTextOf(id: string): string {
    const one = this.#byId.get(id)
    if (one?.kind !== 'campaigns') return this.#placeOfStep.get(id) ?? id
    const text = this.textOf('campaigns', id)
    return text === id ? id : `campaigns/${text}`
  }
}
