import type { DriplineClient } from '@dripline/client'
import { type Content, fileValueOf } from './content.ts'
import { differencesOf } from './diff.ts'
import { dependenciesOf, inOrder } from './dependencies.ts'
import { type Folder, yamlFileOf } from './folder.ts'
import type { Change, Plan } from './change.ts'
import { authorOf, effectsOf } from './effects.ts'
import { limited } from './limited.ts'
import { hashOf, type Lock, type Locked } from './lock.ts'
import type { Names } from './names.ts'
import { isRendered } from './rendered.ts'
import { KINDS } from './shapes.ts'
import {
  type Bound,
  comparableContentOf,
  isInSync,
  namesOf,
  openState,
  readBound,
  remoteHashOf,
  type State,
  syncedHashOf,
  versionOf,
} from './state.ts'
import type { Remote } from './workspace.ts'
import { FileProblems, type Problem } from './yaml-file.ts'

/** Sorts changes by the order in which kinds refer to each other. */
const byKind = (changes: readonly Change[]): Change[] =>
  changes.toSorted((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))

/** Compares files with a workspace. Changes are in the order in which they can be made. @throws {FileProblems} */
export async function makePlan(dripline: DriplineClient, folder: Folder, lock: Lock): Promise<Plan> {
  const state = await openState(dripline, { folder, lock, files: folder.resources() })
  const names = namesOf(state)
  const contents = readAll(state, names)
  const changing = changingTemplates(state, contents)
  const isChanging = (templateId: string) => changing.has(templateId)
  const isChanged = (file: Bound) => !isInSync(state, file, contents.get(file)!, isChanging)
  const maybeChanged = state.files.filter(isChanged)
  const deleted = deletedOf(state)
  const hasOtherRevision = ({ locked, remote }: Deleted) => locked.revision !== remote.revision
  await state.workspace.load([
    ...maybeChanged.flatMap(({ remote }) => remote ?? []),
    ...deleted.filter(hasOtherRevision).map(({ remote }) => remote),
  ])
  reportKinds(maybeChanged, contents)
  // With the content of the workspace, some turn out to be the same.
  const changed = maybeChanged.filter(isChanged)
  const written = changed.map((file) =>
    changeOf(state, file, { content: contents.get(file)!, contents, names, isChanging }),
  )
  const deletions = deleted.map((one) => deletionOf(state, one))
  const changes = [...inOrder(byKind(written)), ...byKind(deletions).toReversed()]
  await Promise.all([addEffects(dripline, changes), addAuthors(dripline, changes)])
  return { state, changes, unchanged: state.files.filter((file) => !changed.includes(file)) }
}

/** Reads all files. IDs that the workspace does not have are allowed in files that are as they were pulled. */
function readAll(state: State, names: Names): Map<Bound, Content> {
  const contents = new Map<Bound, Content>()
  const problems: Problem[] = []
  for (const file of state.files) {
    const { content, ...read } = readBound(state, file, names)
    contents.set(file, content)
    problems.push(...read.problems, ...(hashOf(content) === file.locked?.hash ? [] : read.unknownIds))
  }
  if (problems.length > 0) throw new FileProblems(problems)
  return contents
}

/** Reports templates whose kind was changed, which the API does not allow. @throws {FileProblems} */
function reportKinds(files: readonly Bound[], contents: ReadonlyMap<Bound, Content>): void {
  const problems = files
    .filter(({ kind, remote }) => kind === 'templates' && remote)
    .filter((file) => (contents.get(file)!['kind'] ?? 'EMAIL') !== file.remote!.value?.['kind'])
    .map(({ path }) => ({ file: yamlFileOf(path), message: 'The kind of a template cannot change. Use another name.' }))
  if (problems.length > 0) throw new FileProblems(problems)
}

/** Returns the IDs of templates that get another version: those that change, and those that contain one that changes. */
function changingTemplates(state: State, contents: ReadonlyMap<Bound, Content>): Set<string> {
  const templates = state.files.filter(({ kind }) => kind === 'templates' || kind === 'snippets')
  const changing = new Set(templates.filter((file) => !isInSync(state, file, contents.get(file)!)))
  for (let size = -1; size !== changing.size;) {
    size = changing.size
    for (const file of templates) {
      const content = contents.get(file)!
      if ([...changing].some((other) => other.remote?.id === content['layoutId'] || isRendered(other, content)))
        changing.add(file)
    }
  }
  return new Set([...changing].flatMap(({ remote }) => remote?.id ?? []))
}

interface Read {
  content: Content
  contents: ReadonlyMap<Bound, Content>
  names: Names
  isChanging: (templateId: string) => boolean
}

function changeOf(state: State, file: Bound, { content, contents, names, isChanging }: Read): Change {
  const { kind, path, name, remote } = file
  const show = (shown: Content) =>
    fileValueOf(shown, { kind, path, names, steps: file.steps, versionOf: versionOf(state.workspace) })
  const before = remote && comparableContentOf(state, remote, content, isChanging)
  const drift = driftOf(state, file)
  return {
    action: remote ? 'update' : 'create',
    ...{ kind, path, name, file, effects: [] },
    ...(remote && { remote }),
    differences: differencesOf(before ? show(before) : {}, show(content)),
    ...(drift !== undefined && { drift: { message: drift } }),
    after: dependenciesOf(file, contents),
  }
}

function driftOf(state: State, { locked, remote }: Pick<Bound, 'locked' | 'remote'>): string | undefined {
  if (!remote) return locked && 'It was deleted in the workspace.'
  if (!locked) return 'It exists in the workspace, and was never pulled or applied with these files.'
  return remoteHashOf(state, { locked, remote }) === syncedHashOf(locked)
    ? undefined
    : 'It was changed in the workspace.'
}

/** A resource whose file was deleted. */
interface Deleted {
  path: string
  locked: Locked
  remote: Remote
}

function deletedOf({ lock, files, workspace }: State): Deleted[] {
  const kept = new Set(files.map(({ remote }) => remote?.id))
  return lock.entries().flatMap(([path, locked]): Deleted[] => {
    const remote = workspace.find(locked.id)
    return !remote || kept.has(remote.id) ? [] : [{ path, locked, remote }]
  })
}

function deletionOf(state: State, { path, locked, remote }: Deleted): Change {
  const { kind, name } = remote
  const drift = driftOf(state, { locked, remote })
  return {
    action: 'delete',
    ...{ kind, path, name, remote, differences: [], effects: [], after: [] },
    ...(drift !== undefined && { drift: { message: drift } }),
  }
}

async function addEffects(dripline: DriplineClient, changes: readonly Change[]): Promise<void> {
  const effects = await effectsOf(dripline, changes)
  for (const change of changes) change.effects.push(...(effects.get(change) ?? []))
}

async function addAuthors(dripline: DriplineClient, changes: readonly Change[]): Promise<void> {
  await limited(changes, async ({ action, drift, file, remote }) => {
    const id = action === 'delete' ? remote!.id : file!.locked?.id
    if (!drift || id === undefined) return
    const author = await authorOf(dripline, id)
    if (author !== undefined) drift.author = author
  })
}
