import { asText, fromApi, fromFile, InFile, type JsonObject, type Leaf, type Path } from './convert.ts'
import type { Folder, ResourceFile } from './folder.ts'
import { yamlFileOf } from './folder.ts'
import type { Found, Names } from './names.ts'
import { hideSecrets, referToSecrets, resolveSecrets, secretProblem } from './secrets.ts'
import { FIELDS, type Kind } from './shapes.ts'
import { flattenSteps, idInApi, type StepIds } from './steps.ts'
import type { Problem } from './yaml-file.ts'

/** The content of a resource: its fields in the API without defaults, and without the values of secrets. */
export type Content = JsonObject

/** The version of an email's template if the file does not specify one: the one that is current when the automation is published. */
export const CURRENT = 'current'

const withUnixLines = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value)

/** Returns the content of a resource of the workspace. */
export const contentOf = (kind: Kind, value: JsonObject): Content =>
  fromApi(FIELDS[kind], value, (leaf, given) => (leaf.is === 'headers' ? hideSecrets(given) : withUnixLines(given)))

/** Files for the contents of emails. */
interface Texts {
  /** Returns the path of a text, relative to the folder, and remembers the text. */
  put: (at: Path, leaf: Leaf, text: string) => string
}

interface ToFile {
  kind: Kind
  path: string
  names: Names
  /** The IDs of steps in the workspace, by those in the file. */
  steps: StepIds
  /** Returns the current version of a template. */
  versionOf: (templateId: string) => number | undefined
  /** Without it, all contents stay in the value, as for showing differences. */
  texts?: Texts
  /** The headers that the present file has, by the IDs of their steps in the workspace. */
  headers?: ReadonlyMap<string, unknown>
}

/** Longer texts, and those of several lines, are in a file of their own. */
const MAX_INLINE = 200

/** Converts content to the value of a file. */
export function fileValueOf(
  content: Content,
  { kind, path, names, steps, versionOf, texts, headers }: ToFile,
): JsonObject {
  const fileIds = new Map(Object.entries(steps).map(([inFile, inApi]) => [inApi, inFile]))
  const own = new Set(flattenSteps(content['steps']).map(({ id }) => id))
  const copy = structuredClone(content)
  const all = flattenSteps(copy['steps'])
  const stepWith = (value: unknown) => all.find(({ headers }) => headers === value)!
  if (texts)
    for (const step of all) {
      const { templateId, templateVersion } = step
      if (typeof templateId === 'string' && versionOf(templateId) === templateVersion) delete step['templateVersion']
    }
  const translate = (leaf: Leaf, value: unknown, at: Path): unknown => {
    const text = asText(value)
    switch (leaf.is) {
      case 'reference':
        return names.textOf(leaf.to, text)
      case 'stepId':
        return fileIds.get(text) ?? text
      case 'message':
        return own.has(text) ? (fileIds.get(text) ?? text) : names.messageTextOf(text)
      case 'headers':
        return texts ? referToSecrets(stepWith(value), path, all, headers) : value
      case 'text':
        if (!texts || (at.at(-1) === 'text' && text.length <= MAX_INLINE && !text.includes('\n')) || text === '')
          return text
        return new InFile(texts.put(at, leaf, text))
      case 'json':
        return texts ? new InFile(texts.put(at, leaf, `${JSON.stringify(value, null, 2)}\n`)) : value
      case 'value':
        return value
    }
  }
  return fromApi(FIELDS[kind], copy, translate, true)
}

interface FromFile {
  folder: Folder
  names: Names
  steps: StepIds
  /** The environment, if the secrets are needed. */
  env?: NodeJS.ProcessEnv
}

export interface ReadContent {
  content: Content
  problems: Problem[]
  /** IDs that the workspace does not have. They are a problem unless the file is as it was pulled. */
  unknownIds: Problem[]
}

/** Reads the content of a file. */
export function readContent({ kind, path, yaml }: ResourceFile, { folder, names, steps, env }: FromFile): ReadContent {
  const problems: Problem[] = []
  const unknownIds: Problem[] = []
  const file = yamlFileOf(path)
  const placed = (message: string, at: Path): Problem => {
    const line = yaml.lineOf(at)
    return { file, ...(line !== undefined && { line }), message }
  }
  const problem = (message: string, at: Path) => void problems.push(placed(message, at))
  const found = (result: Found, at: Path): unknown => {
    if ('problem' in result) return problem(result.problem, at)
    if (result.isUnknown)
      unknownIds.push(placed(`This workspace has nothing with the ID ${result.id}. Use the name of the resource.`, at))
    return result.id
  }
  const ownSteps = flattenSteps(yaml.value['steps'])
  const stepIdOf = (text: string): string => idInApi(steps, text)
  const translate = (leaf: Leaf, value: unknown, at: Path): unknown => {
    switch (leaf.is) {
      case 'reference':
        return typeof value === 'string' ? found(names.find(leaf.to, value), at) : problem('This must be a name.', at)
      case 'stepId':
        return typeof value === 'string' && value !== '' ? stepIdOf(value) : problem('"id" must be a string.', at)
      case 'message': {
        const text = asText(value)
        const own = ownSteps.find(({ id }) => id === text) ?? ownSteps.find(({ name }) => name === text)
        return own ? stepIdOf(asText(own['id'])) : found(names.findMessage(text), at)
      }
      case 'headers': {
        if (typeof value !== 'object') return problem('"headers" must be a map of names and strings.', at)
        const wrong = secretProblem(value)
        if (wrong !== undefined) problem(wrong, at)
        return env ? resolveSecrets(value, env) : hideSecrets(value)
      }
      case 'text':
      case 'json':
      case 'value':
        return withUnixLines(value)
    }
  }
  const read = (given: unknown, leaf: Leaf, at: Path): unknown => {
    const target = [path.split('/').slice(0, -1).join('/'), given].filter((part) => part !== '').join('/')
    if (typeof given !== 'string' || !folder.contains(target))
      return problem(`"${asText(given)}" must be the path of a file in the folder, relative to this file.`, at)
    const text = folder.read(target)
    if (text === undefined) return problem(`The file "${given}" does not exist.`, at)
    if (leaf.is !== 'json') return text
    try {
      return JSON.parse(text) as unknown
    } catch (error) {
      return problem(`The file "${given}" is not valid JSON: ${(error as Error).message}`, at)
    }
  }
  const content = fromFile(FIELDS[kind], yaml.value, { translate, read, problem })
  for (const step of flattenSteps(content['steps']))
    if (typeof step['templateId'] === 'string') step['templateVersion'] ??= CURRENT
  reportSteps(ownSteps, (message) => problem(message, ['steps']))
  return { content, problems, unknownIds }
}

/** Steps need different IDs, by which reports and conditions follow them. */
function reportSteps(steps: readonly JsonObject[], problem: (message: string) => void): void {
  const seen = new Set<unknown>()
  for (const { id } of steps) {
    if (id !== undefined && seen.has(id)) problem(`Two steps have the ID "${asText(id)}". Each needs its own.`)
    seen.add(id)
  }
}
