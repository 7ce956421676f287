import { isDeepStrictEqual } from 'node:util'
import type { DriplineClient } from '@dripline/client'
import { type Content, contentOf, CURRENT, readContent, type ReadContent } from './content.ts'
import { asText, type JsonObject } from './convert.ts'
import { type Folder, type ResourceFile, yamlFileOf } from './folder.ts'
import { hashOf, type Lock, type Locked } from './lock.ts'
import { type Named, Names } from './names.ts'
import type { Kind } from './shapes.ts'
import { flattenSteps, matchSteps, type StepIds, withoutDeletedTemplates } from './steps.ts'
import { type Remote, webhookName, Workspace } from './workspace.ts'
import { FileProblems, type Problem } from './yaml-file.ts'

/** A file, and the resource that it describes, if that exists. */
export interface Bound extends ResourceFile {
  name: string
  locked?: Locked
  remote?: Remote
  steps: StepIds
}

/** The files of a folder, and the workspace that they describe. */
export interface State {
  folder: Folder
  lock: Lock
  workspace: Workspace
  files: Bound[]
}

/** Campaigns and steps of other automations are listed only for files that refer to them. */
const REFERS_TO_CAMPAIGN = /["']?campaign["']?:|campaigns\//

const nameOf = (kind: Kind, value: JsonObject): string =>
  kind === 'sender' ? kind : kind === 'webhooks' ? webhookName(value) : asText(value['name'])

/**
 * Finds the resource of each file: by the lock file, or by its name if the file is new for this workspace.
 *
 * @throws {FileProblems} if names are not unique
 */
export async function openState(
  dripline: DriplineClient,
  { folder, lock, files }: { folder: Folder; lock: Lock; files: ResourceFile[] },
): Promise<State> {
  const workspace = new Workspace(dripline)
  await workspace.list()
  if (files.some(({ path }) => REFERS_TO_CAMPAIGN.test(folder.read(yamlFileOf(path)) ?? '')))
    await workspace.listCampaigns()
  const bound = bind(files, lock, workspace)
  // What has the revision of the lock file is as it was then.
  const isUnknown = ({ locked, remote }: Bound) => !locked || locked.revision !== remote?.revision
  await workspace.load(bound.filter(isUnknown).flatMap(({ remote }) => remote ?? []))
  for (const one of bound) {
    // Without an entry in the lock file, steps are matched by their places.
    if (one.locked) one.steps = one.locked.steps ?? {}
    else if (one.remote?.value) one.steps = matchSteps(one.yaml.value['steps'], one.remote.value['steps'])
  }
  return { folder, lock, workspace, files: bound }
}

function bind(files: readonly ResourceFile[], lock: Lock, workspace: Workspace): Bound[] {
  const problems: Problem[] = []
  const locks = new Map(files.map(({ path }) => [path, lock.get(path)]))
  const claimed = new Set([...locks.values()].map((locked) => locked?.id))
  const remoteNameAt = (path: string) => workspace.find(locks.get(path)?.id ?? '')?.name
  /** The entry of a file that was moved: its path is gone, but the resource has the name of another file. */
  const movedLock = (remote: Remote | undefined) =>
    lock.entries().find(([path, { id }]) => id === remote?.id && !locks.has(path))?.[1]
  const bound = files.map((file): Bound => {
    const name = nameOf(file.kind, file.yaml.value)
    const namesakes = workspace.remotes.filter(
      (remote) => remote.kind === file.kind && remote.name === name && !claimed.has(remote.id),
    )
    const locked = locks.get(file.path) ?? movedLock(namesakes[0])
    const line = file.yaml.lineOf(['name'])
    const problem = (message: string) =>
      problems.push({ file: yamlFileOf(file.path), ...(line !== undefined && { line }), message })
    if (!locked) {
      const others = files.filter(
        (one) => one.kind === file.kind && one !== file && nameOf(one.kind, one.yaml.value) === name,
      )
      if (others.length > 0)
        problem(`The name "${name}" is also in ${yamlFileOf(others[0]!.path)}. Names must be unique.`)
      else if (namesakes.length > 1)
        problem(
          `The workspace has ${namesakes.length} ${file.kind} called "${name}". Rename all but one, or pull first.`,
        )
    }
    // Moved, or renamed, while another file took its name: nothing in the files shows which of the two.
    const called = remoteNameAt(file.path)
    const taker =
      called !== undefined &&
      called !== name &&
      files.find(
        (one) =>
          one.kind === file.kind && nameOf(one.kind, one.yaml.value) === called && remoteNameAt(one.path) !== called,
      )
    if (taker)
      problem(
        `In the workspace, it is "${called}", which is the name in ${yamlFileOf(taker.path)} now. ` +
          'If you moved the file, apply that alone first. Otherwise, choose another name.',
      )
    if (typeof (file.yaml.value['name'] ?? '') !== 'string') problem('"name" must be a string. Put it in quotes.')
    const remote = locked ? workspace.find(locked.id) : namesakes[0]
    return { ...file, name, steps: {}, ...(locked && { locked }), ...(remote && { remote }) }
  })
  if (problems.length > 0) throw new FileProblems(problems)
  return bound
}

/**
 * Returns the names to which the files can refer.
 *
 * @param withDeleted whether files whose resource was deleted in the workspace have its ID
 */
export function namesOf({ workspace, files }: Pick<State, 'workspace' | 'files'>, withDeleted = false): Names {
  const withFile = new Set(files.map(({ remote }) => remote))
  const named: Named[] = [
    ...files.map(({ kind, path, name, remote, locked }): Named => {
      const id = remote?.id ?? (withDeleted ? locked?.id : undefined)
      return { kind, path, name, ...(id !== undefined && { id }) }
    }),
    ...workspace.remotes.filter((remote) => !withFile.has(remote)),
    ...workspace.campaigns.map((campaign) => ({ kind: 'campaigns' as const, ...campaign })),
  ]
  const names = new Names(named)
  for (const { kind, path, yaml, steps } of files) {
    if (kind !== 'automations') continue
    const ids = flattenSteps(yaml.value['steps']).map(({ id }) => String(id))
    names.addSteps(path, ids, steps)
  }
  return names
}

/** Returns the current version of a template. */
export const versionOf =
  (workspace: Workspace) =>
  (templateId: string): number | undefined =>
    workspace.find(templateId)?.revision

/** Returns the content of a loaded resource. */
export function remoteContentOf(remote: Remote, workspace: Workspace): Content {
  const value = remote.value ?? {}
  if (remote.kind !== 'automations') return contentOf(remote.kind, value)
  return contentOf(
    remote.kind,
    withoutDeletedTemplates(value, (id) => workspace.find(id) !== undefined),
  )
}

/** Reads the content of a file as it is now. */
export const readBound = ({ folder }: State, file: Bound, names: Names): ReadContent =>
  readContent(file, { folder, names, steps: file.steps })

/** Hashes what the workspace has. A resource that is not loaded is as it was when it was last pulled or applied. */
export const remoteHashOf = (
  { workspace }: State,
  { remote, locked }: Pick<Bound, 'remote' | 'locked'>,
): string | undefined =>
  remote?.value || !locked ? remote && hashOf(remoteContentOf(remote, workspace)) : syncedHashOf(locked)

/** Hashes what the workspace had when the file was last pulled or applied. */
export const syncedHashOf = (locked: Locked): string => locked.remoteHash ?? locked.hash

/** Returns the templates of emails that have the current version, with this version. */
function currentTemplates(content: Content, workspace: Workspace): Record<string, number> {
  const ids = flattenSteps(content['steps']).flatMap((step) =>
    step['templateVersion'] === CURRENT ? [asText(step['templateId'])] : [],
  )
  return Object.fromEntries(ids.map((id) => [id, workspace.find(id)?.revision ?? 0]))
}

/**
 * Returns whether the workspace has the content of a file.
 *
 * @param isChanging whether a template will get another version
 */
export function isInSync(
  state: State,
  file: Bound,
  content: Content,
  isChanging: (templateId: string) => boolean = () => false,
): boolean {
  const { remote, locked } = file
  const { workspace } = state
  if (!remote) return false
  const hash = hashOf(content)
  const current = currentTemplates(content, workspace)
  if (Object.keys(current).some(isChanging)) return false
  if (locked?.hash === hash && remoteHashOf(state, file) === syncedHashOf(locked))
    return isDeepStrictEqual(current, locked.templates ?? {})
  return remote.value !== undefined && hash === hashOf(comparableContentOf(state, remote, content))
}

/**
 * Returns the content of the workspace, in which current versions of templates are marked where the file has no version.
 *
 * @param isChanging whether a template will get another version
 */
export function comparableContentOf(
  { workspace }: State,
  remote: Remote,
  content: Content,
  isChanging: (templateId: string) => boolean = () => false,
): Content {
  const compared = structuredClone(remoteContentOf(remote, workspace))
  const unpinned = new Set(
    flattenSteps(content['steps'])
      .filter((step) => step['templateVersion'] === CURRENT)
      .map(({ id }) => id),
  )
  for (const step of flattenSteps(compared['steps'])) {
    const { id, templateId, templateVersion } = step
    if (!unpinned.has(id) || typeof templateId !== 'string' || isChanging(templateId)) continue
    if (versionOf(workspace)(templateId) === templateVersion) step['templateVersion'] = CURRENT
  }
  return compared
}

/** Returns the entry of the lock file for a file that agrees with the workspace. */
export function lockedOf(state: State, file: Bound, names: Names): Locked {
  const { id, revision } = file.remote!
  const { content } = readBound(state, file, names)
  const hash = hashOf(content)
  const remoteHash = remoteHashOf(state, file)
  const ids = new Set(flattenSteps(file.yaml.value['steps']).map((step) => asText(step['id'])))
  const steps = Object.fromEntries(Object.entries(file.steps).filter(([inFile]) => ids.has(inFile)))
  const templates = currentTemplates(content, state.workspace)
  return {
    id,
    ...(revision !== undefined && { revision }),
    hash,
    ...(remoteHash !== undefined && remoteHash !== hash && { remoteHash }),
    ...(Object.keys(steps).length > 0 && { steps }),
    ...(Object.keys(templates).length > 0 && { templates }),
  }
}
