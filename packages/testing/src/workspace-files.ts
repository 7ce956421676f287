import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { orNearest } from '../../../src/platform/nearest-name.ts'
import type { WorkspaceSource } from './types.ts'

export type JsonObject = Record<string, unknown>

const KINDS = ['lists', 'segments', 'templates', 'automations'] as const
export type Kind = (typeof KINDS)[number]

/** A resource as a file or an object has it. */
export interface Resource {
  /** Its place, for errors. */
  place: string
  /** Its place in a folder, as references have it: `automations/welcome`. Without a folder, it has the name. */
  path: string
  name: string
  value: JsonObject
}

/** The resources of a workspace, with texts in place of the files to which they refer. */
export type Resources = Record<Kind, Resource[]> & { timezone?: string }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a workspace. @throws {Error} if a file cannot be read, or has unknown keys or names twice */
export async function readSource(source: string | WorkspaceSource): Promise<Resources> {
  if (typeof source !== 'string') return resourcesOf(source, 'workspace', '.')
  if ((await stat(source)).isDirectory()) return readFolder(source)
  return resourcesOf(await readYaml(source), basename(source), dirname(source))
}

async function readFolder(folder: string): Promise<Resources> {
  const resources: Resources = { lists: [], segments: [], templates: [], automations: [] }
  const present = await readdir(folder)
  for (const kind of KINDS.filter((each) => present.includes(each))) {
    for (const file of (await readdir(join(folder, kind))).filter((each) => /\.ya?ml$/.test(each)).sort()) {
      const value = await readYaml(join(folder, kind, file))
      const resource = await resourceOf(value, `${kind}/${file}`, join(folder, kind))
      resources[kind].push({ ...resource, path: `${kind}/${file.replace(/\.ya?ml$/, '')}` })
    }
  }
  return assertDistinct(resources)
}

async function resourcesOf(value: unknown, place: string, folder: string): Promise<Resources> {
  if (!isObject(value)) throw new Error(`${place} must be a map with the keys timezone, ${KINDS.join(', ')}`)
  const resources: Resources = { lists: [], segments: [], templates: [], automations: [] }
  for (const [key, given] of Object.entries(value)) {
    const kind = KINDS.find((each) => each === key)
    if (key === 'timezone') resources.timezone = String(given)
    else if (!kind) throw new Error(`${place}: ${key} is unknown${orNearest(key, ['timezone', ...KINDS])}`)
    else if (!Array.isArray(given)) throw new Error(`${place}: ${key} must be a list`)
    else
      for (const [n, each] of given.entries()) {
        const resource = await resourceOf(each, `${place}: ${kind}[${n}]`, folder)
        resources[kind].push({ ...resource, path: `${kind}/${resource.name}` })
      }
  }
  return assertDistinct(resources)
}

async function resourceOf(value: unknown, place: string, folder: string): Promise<Omit<Resource, 'path'>> {
  if (!isObject(value)) throw new Error(`${place} must be a map of keys and values`)
  const { name } = value
  if (typeof name !== 'string' || name === '') throw new Error(`${place}: name is required`)
  return { place, name, value: (await withTexts(value, place, folder)) as JsonObject }
}

/** References and tests use names. */
function assertDistinct(resources: Resources): Resources {
  for (const kind of KINDS) {
    const places = new Map<string, string>()
    for (const { name, place } of resources[kind]) {
      const other = places.get(name)
      if (other !== undefined) throw new Error(`${place}: the name "${name}" is already the one of ${other}`)
      places.set(name, place)
    }
  }
  return resources
}

async function readYaml(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8')
  try {
    return parse(text) as unknown
  } catch (error) {
    throw new Error(`${file} is not valid YAML: ${(error as Error).message}`, { cause: error })
  }
}

/** The keys whose value is the path of a file with the content of an email. */
const FILE_KEYS: Readonly<Record<string, string>> = { htmlFile: 'html', textFile: 'text', designFile: 'design' }

/** Replaces the paths of contents by the contents. */
async function withTexts(value: unknown, place: string, folder: string): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => withTexts(each, place, folder)))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(async ([key, each]) => {
    const content = Object.hasOwn(FILE_KEYS, key) ? FILE_KEYS[key] : undefined
    if (content === undefined || typeof each !== 'string') return [key, await withTexts(each, place, folder)]
    const text = await readFile(join(folder, each), 'utf8').catch((error: unknown) => {
      throw new Error(`${place}: ${each} cannot be read`, { cause: error })
    })
    return [content, content === 'design' ? (JSON.parse(text) as unknown) : text]
  })
  return Object.fromEntries(await Promise.all(entries)) as JsonObject
}
