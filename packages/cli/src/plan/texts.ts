import type { Content } from './content.ts'
import { asText, type JsonObject, type Leaf, type Path } from './convert.ts'
import { slugOf } from './slug.ts'
import { flattenSteps, idInApi, type StepIds } from './steps.ts'

const KEYS = ['html', 'text', 'design'] as const

/** A part of a resource with contents: an email by its step's ID, a translation by its locale, or the whole (empty). */
type Owner = string

/** Returns the files of contents to which a file refers, relative to it, by their place. */
export function textFilesOf(value: JsonObject, steps: StepIds): Map<string, string> {
  const found = new Map<string, string>()
  const add = (part: JsonObject | null, owner: Owner) => {
    for (const key of KEYS) {
      const file = part?.[`${key}File`]
      if (typeof file === 'string') found.set(`${owner}/${key}`, file)
    }
  }
  add(value, '')
  for (const step of flattenSteps(value['steps'])) add(step, idInApi(steps, asText(step['id'])))
  const translations = Array.isArray(value['translations']) ? (value['translations'] as (JsonObject | null)[]) : []
  for (const translation of translations) add(translation, asText(translation?.['locale']))
  return found
}

/** The contents of a resource that are in files of their own, such as `welcome/1-email.html` beside `welcome.yaml`. */
export class TextFiles {
  /** The texts by their path, relative to the file of the resource. */
  readonly texts = new Map<string, string>()
  readonly #stem: string
  readonly #content: Content
  readonly #present: ReadonlyMap<string, string>

  /** @param present the files that the resource has already, which keep their names */
  constructor(path: string, content: Content, present: ReadonlyMap<string, string>) {
    this.#stem = path.split('/').at(-1)!
    this.#content = content
    this.#present = present
  }

  put(at: Path, _leaf: Leaf, text: string): string {
    const key = String(at.at(-1))
    const part = at
      .slice(0, -1)
      .reduce<unknown>((value, name) => (value as JsonObject)[name], this.#content) as JsonObject
    const owner = at.length === 1 ? '' : asText(part['id'] ?? part['locale'])
    const extension = this.#extensionOf(key)
    const present = this.#present.get(`${owner}/${key}`)
    const path = present?.endsWith(extension) ? present : this.#newPath(part, extension)
    this.texts.set(path, text)
    return path
  }

  #extensionOf(key: string): string {
    if (key === 'design') return '.json'
    if (key === 'text') return '.txt'
    return this.#content['format'] === 'MJML' ? '.mjml' : '.html'
  }

  #newPath(part: JsonObject, extension: string): string {
    const { locale } = part
    const emails = flattenSteps(this.#content['steps']).filter(({ type }) => type === 'EMAIL')
    const number = emails.findIndex(({ id }) => id === part['id']) + 1
    const base =
      part === this.#content
        ? this.#stem
        : locale === undefined
          ? `${this.#stem}/${number}-${slugOf(asText(part['name']), 'email')}`
          : `${this.#stem}.${slugOf(asText(locale))}`
    const taken = new Set([...this.#present.values(), ...this.texts.keys()])
    let path = base + extension
    for (let n = 2; taken.has(path); n += 1) path = `${base}-${n}${extension}`
    return path
  }
}
