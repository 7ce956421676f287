import type { DriplineClient } from '@dripline/client'
import { asText } from './convert.ts'
import { slugOf } from './slug.ts'
import { type Content, fileValueOf } from './content.ts'
import { type Folder, SENDER_PATH, yamlFileOf } from './folder.ts'
import { hashOf, type Lock } from './lock.ts'
import type { Names } from './names.ts'
import {
  type Bound,
  isInSync,
  lockedOf,
  namesOf,
  openState,
  readBound,
  remoteContentOf,
  remoteHashOf,
  type State,
  syncedHashOf,
  versionOf,
} from './state.ts'
import { flattenSteps, idInApi } from './steps.ts'
import { TextFiles, textFilesOf } from './texts.ts'
import type { Remote } from './workspace.ts'
import { FileProblems, formatYaml, YamlFile } from './yaml-file.ts'

/** The outcome of one file. */
export interface Pulled {
  file: string
  status: 'created' | 'updated' | 'unchanged' | 'kept' | 'missing' | 'deleted' | 'conflict'
  message?: string
}

const BOTH_CHANGED =
  'Both the file and the workspace were changed. Move the file away and pull again, or use --force to overwrite it.'
const DELETED_THERE =
  'It was deleted in the workspace, but the file was changed. Delete the file, or create it again with "dripline apply --force".'
const DELETED_HERE = 'The file was deleted, but the workspace was changed. Use --force to write it again.'

/**
 * Writes the resources of a workspace into files. Keeps files that were changed since the last pull or apply.
 *
 * @param isForced overwrites changed files
 */
export async function pull(dripline: DriplineClient, folder: Folder, lock: Lock, isForced: boolean): Promise<Pulled[]> {
  const files = folder.resources(isForced)
  const state = await openState(dripline, { folder, lock, files })
  const { workspace } = state
  const withFile = new Set(state.files.map(({ remote }) => remote))
  await workspace.load(workspace.remotes.filter((remote) => !withFile.has(remote)))
  if (workspace.campaigns.length === 0 && workspace.remotes.some(refersToMessage)) await workspace.listCampaigns()

  const contents = localContents(state, isForced)
  const after = withPaths(state)
  const statuses = new Map(after.files.map((file) => [file, decide(after, file, contents.get(file.path), isForced)]))
  const wanted = after.files.filter((file) => isWritten(statuses.get(file)!))
  await workspace.load(wanted.map(({ remote }) => remote!))
  for (const file of wanted) Object.assign(file, { name: file.remote!.name, yaml: withSteps(file) })
  // The names that the files have after this.
  const names = namesOf(after)
  const pulled: Pulled[] = []
  const synced: Bound[] = []
  for (const [file, status] of statuses) {
    const { path } = file
    const isStale = status === 'unchanged' && !isUpToDate(after, file, names)
    if (isStale) await workspace.load([file.remote!])
    if (isStale || isWritten(status))
      write(
        after,
        file,
        names,
        state.files.find((one) => one.path === path),
      )
    if (status !== 'kept' && status !== 'conflict') synced.push(file)
    const message = contents.has(path) ? BOTH_CHANGED : DELETED_HERE
    const isMissing = status === 'kept' && !contents.has(path)
    pulled.push({
      file: yamlFileOf(path),
      status: isStale ? 'updated' : isMissing ? 'missing' : status,
      ...(status === 'conflict' && { message }),
      ...(isMissing && { message: 'You deleted it. Use --force to write it again.' }),
    })
  }
  pulled.push(...removeDeleted(state, contents))
  for (const file of synced) lock.set(file.path, lockedOf(after, file, names))
  lock.save()
  return pulled.toSorted((one, other) => (one.file < other.file ? -1 : 1))
}

const isWritten = (status: Pulled['status']): boolean => status === 'created' || status === 'updated'

const refersToMessage = ({ value }: Remote): boolean => /"(?:campaign|message)":/.test(JSON.stringify(value ?? {}))

/** Reads the files as they are, before anything is written. @throws {FileProblems} */
function localContents(state: State, isForced: boolean): Map<string, Content> {
  const names = namesOf(state, true)
  const problems = []
  const contents = new Map<string, Content>()
  for (const file of state.files) {
    const read = readBound(state, file, names)
    problems.push(...read.problems)
    contents.set(file.path, read.content)
  }
  if (problems.length > 0 && !isForced) throw new FileProblems(problems)
  return contents
}

/** Returns the state with a file for each resource. */
function withPaths(state: State): State {
  const taken = new Set([...state.files.map(({ path }) => path), ...state.lock.entries().map(([path]) => path)])
  const byRemote = new Map(state.files.map((file) => [file.remote, file]))
  const locks = new Map(state.lock.entries().map(([path, locked]) => [locked.id, { path, locked }]))
  const files = state.workspace.remotes.map((remote): Bound => {
    const bound = byRemote.get(remote)
    if (bound) return { ...bound }
    const { path = newPath(remote, taken), locked } = locks.get(remote.id) ?? {}
    taken.add(path)
    const steps = locked?.steps ?? {}
    const yaml = new YamlFile(yamlFileOf(path), 'steps: []')
    return { kind: remote.kind, path, yaml, name: remote.name, steps, remote, ...(locked && { locked }) }
  })
  return { ...state, files }
}

/** Returns a file with the steps that it will have, to which others can refer. */
function withSteps({ path, remote, steps }: Bound): YamlFile {
  const fileIds = new Map(Object.entries(steps).map(([inFile, inApi]) => [inApi, inFile]))
  const ids = flattenSteps(remote?.value?.['steps']).map(({ id }) => ({ id: fileIds.get(String(id)) ?? id }))
  return new YamlFile(yamlFileOf(path), formatYaml({ steps: ids }))
}

function newPath({ kind, name }: Remote, taken: ReadonlySet<string>): string {
  if (kind === 'sender') return SENDER_PATH
  const path = `${kind}/${slugOf(name, kind.slice(0, -1))}`
  for (let n = 1; ; n += 1) {
    const numbered = n === 1 ? path : `${path}-${n}`
    if (!taken.has(numbered)) return numbered
  }
}

/** @param content the content of the file, if there is one */
function decide(state: State, file: Bound, content: Content | undefined, isForced: boolean): Pulled['status'] {
  const { locked } = file
  if (!content && !locked) return 'created'
  if (content && isInSync(state, file, content)) return 'unchanged'
  const isLocalChanged = !content || hashOf(content) !== locked?.hash
  const isRemoteChanged = !locked || remoteHashOf(state, file) !== syncedHashOf(locked)
  if (!isLocalChanged && !isRemoteChanged) return 'unchanged'
  if (isForced || !isLocalChanged) return 'updated'
  return isRemoteChanged ? 'conflict' : 'kept'
}

/** Returns whether a file still means what the workspace has. A referenced list may have a new name. */
function isUpToDate(state: State, file: Bound, names: Names): boolean {
  const { content, problems } = readBound(state, file, names)
  return problems.length === 0 && isInSync(state, file, content)
}

/**
 * Writes the file of a resource, and the contents beside it.
 *
 * @param present the file as it is, whose contents keep their places
 */
function write(state: State, file: Bound, names: Names, present: Bound | undefined): void {
  const { folder, workspace } = state
  const { kind, path } = file
  const content = remoteContentOf(file.remote!, workspace)
  const before = present ? textFilesOf(present.yaml.value, present.steps) : new Map<string, string>()
  const beside = new TextFiles(path, content, before)
  const value = fileValueOf(content, {
    ...{ kind, path, names, steps: file.steps, versionOf: versionOf(workspace) },
    texts: beside,
    headers: present ? headersOf(present) : new Map<string, unknown>(),
  })
  for (const [name, text] of beside.texts) folder.write(`${kind}/${name}`, text)
  const text = formatYaml(value)
  folder.write(yamlFileOf(path), text)
  file.yaml = new YamlFile(yamlFileOf(path), text)
  deleteTexts(
    folder,
    file,
    [...before.values()].filter((name) => !beside.texts.has(name)),
  )
}

/** Returns the headers of the steps of a file, by the IDs of the steps in the workspace. */
const headersOf = ({ yaml, steps }: Bound): Map<string, unknown> =>
  new Map(flattenSteps(yaml.value['steps']).map(({ id, headers }) => [idInApi(steps, asText(id)), headers]))

/** Deletes contents beside a file, but not those that other files may share. */
function deleteTexts(folder: Folder, { kind, path }: Bound, names: readonly string[]): void {
  for (const name of names) {
    const target = `${kind}/${name}`
    if (folder.contains(target) && (target.startsWith(`${path}/`) || target.startsWith(`${path}.`)))
      folder.delete(target)
  }
}

/** Deletes the files of resources that were deleted in the workspace. */
function removeDeleted({ folder, lock, files, workspace }: State, contents: ReadonlyMap<string, Content>): Pulled[] {
  const pulled: Pulled[] = []
  for (const [path, locked] of lock.entries()) {
    if (workspace.find(locked.id)) continue
    const file = files.find((one) => one.path === path)
    const content = contents.get(path)
    if (content && hashOf(content) !== locked.hash) {
      pulled.push({ file: yamlFileOf(path), status: 'conflict', message: DELETED_THERE })
      continue
    }
    if (file) {
      deleteTexts(folder, file, [...textFilesOf(file.yaml.value, file.steps).values()])
      folder.delete(yamlFileOf(path))
      pulled.push({ file: yamlFileOf(path), status: 'deleted' })
    }
    lock.delete(path)
  }
  return pulled
}
