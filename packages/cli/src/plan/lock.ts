import { createHash } from 'node:crypto'
import { type Folder, LOCK_FILE } from './folder.ts'
import type { JsonObject } from './convert.ts'
import type { StepIds } from './steps.ts'
import { FileProblems } from './yaml-file.ts'

/** A resource as it was when it was last pulled or applied. */
export interface Locked {
  id: string
  /** The revision or version in the workspace, if the API has one. */
  revision?: number
  /** Hash of what the file means in the API. */
  hash: string
  /** Hash of what the workspace had, if the API stores it in another form. */
  remoteHash?: string
  /** The IDs of steps in this workspace, by those in the file, where they differ. */
  steps?: StepIds
  /** The versions of templates whose current version the emails have. */
  templates?: Readonly<Record<string, number>>
}

interface LockFile {
  workspaces: Record<string, { name: string; resources: Record<string, Locked> }>
}

/** The state of the files for one workspace. Commit it with the files. */
export class Lock {
  readonly #folder: Folder
  readonly #content: LockFile
  readonly #resources: Map<string, Locked>
  readonly workspace: { id: string; name: string }

  constructor(folder: Folder, workspace: { id: string; name: string }) {
    this.#folder = folder
    this.workspace = workspace
    this.#content = parseLock(folder.read(LOCK_FILE))
    this.#resources = new Map(Object.entries(this.#content.workspaces[workspace.id]?.resources ?? {}))
  }

  /** The names of other workspaces with which the files were used, if they were never used with this one. */
  get otherWorkspaces(): string[] {
    return this.#content.workspaces[this.workspace.id]
      ? []
      : Object.values(this.#content.workspaces).map(({ name }) => name)
  }

  get(path: string): Locked | undefined {
    return this.#resources.get(path)
  }

  entries(): [path: string, locked: Locked][] {
    return [...this.#resources]
  }

  set(path: string, locked: Locked): void {
    // A file that was moved has another path now.
    for (const [other, { id }] of this.#resources) if (id === locked.id) this.#resources.delete(other)
    this.#resources.set(path, locked)
  }

  delete(path: string): void {
    this.#resources.delete(path)
  }

  /** Removes the entries of resources that no longer exist. */
  forget(exists: (id: string) => boolean): void {
    for (const [path, { id }] of this.#resources) if (!exists(id)) this.#resources.delete(path)
  }

  /** Writes the file, if something changed. */
  save(): void {
    const { id, name } = this.workspace
    const resources = Object.fromEntries([...this.#resources].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    this.#content.workspaces[id] = { name, resources }
    const text = `${JSON.stringify(this.#content, null, 2)}\n`
    if (text !== this.#folder.read(LOCK_FILE)) this.#folder.write(LOCK_FILE, text)
  }
}

function parseLock(text: string | undefined): LockFile {
  if (text === undefined) return { workspaces: {} }
  try {
    const content = JSON.parse(text) as LockFile
    if (typeof content.workspaces === 'object' && content.workspaces !== null) return content
  } catch {
    // Reported below.
  }
  const message =
    'The file cannot be read, for example after a merge. Restore it from Git, or delete it and pull again.'
  throw new FileProblems([{ file: LOCK_FILE, message }])
}

/** Hashes content, regardless of the order of keys. */
export const hashOf = (content: JsonObject): string =>
  createHash('sha256').update(JSON.stringify(content, withSortedKeys)).digest('hex').slice(0, 32)

const withSortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value
