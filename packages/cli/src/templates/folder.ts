import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isTemplateFile } from './template-file.ts'

/** Records which version of a template each file has, for each workspace. Belongs into the repository of the files. */
const STATE_FILE = '.dripline.json'

/** A template as it was last pulled or pushed. */
export interface Synced {
  id: string
  name: string
  version: number
  /** Hash of the file. */
  hash: string
}

interface State {
  workspaces: Record<string, Record<string, Synced>>
}

/** Ignores line ends, which Git and editors on Windows change. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 32)

/** A folder with one file per template, and their state for one workspace. */
export class TemplateFolder {
  readonly #path: string
  readonly #state: State
  readonly #workspaceId: string
  readonly #synced: Map<string, Synced>

  constructor(path: string, workspaceId: string) {
    this.#path = path
    this.#workspaceId = workspaceId
    this.#state = readState(join(path, STATE_FILE))
    this.#synced = new Map(Object.entries(this.#state.workspaces[workspaceId] ?? {}))
  }

  /** The names of the files of templates. */
  files(): string[] {
    try {
      return readdirSync(this.#path).filter(isTemplateFile).toSorted()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  read(file: string): string | undefined {
    try {
      return readFileSync(join(this.#path, file), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  write(file: string, text: string): void {
    mkdirSync(this.#path, { recursive: true })
    replaceFile(join(this.#path, file), text)
  }

  delete(file: string): void {
    rmSync(join(this.#path, file), { force: true })
  }

  syncedOf(file: string): Synced | undefined {
    return this.#synced.get(file)
  }

  fileOf(id: string): string | undefined {
    return [...this.#synced].find(([, synced]) => synced.id === id)?.[0]
  }

  allSynced(): [file: string, synced: Synced][] {
    return [...this.#synced]
  }

  /** Records the state of a file at once, so that an interrupted command loses nothing. */
  record(file: string, synced: Synced | undefined): void {
    if (synced) this.#synced.set(file, synced)
    else this.#synced.delete(file)
    const entries = [...this.#synced].toSorted(([one], [other]) => (one < other ? -1 : 1))
    this.#state.workspaces[this.#workspaceId] = Object.fromEntries(entries)
    this.write(STATE_FILE, `${JSON.stringify(this.#state, null, 2)}\n`)
  }
}

function readState(path: string): State {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { workspaces: {} }
    throw error
  }
  const state = JSON.parse(text) as State
  const files = Object.values(state.workspaces).flatMap((synced) => Object.keys(synced))
  // The names become paths.
  const wrong = files.find((file) => !isTemplateFile(file) || /[/\\]/.test(file))
  if (wrong !== undefined)
    throw new Error(`${path} names the file "${wrong}", which is not in its folder. Correct the file.`)
  return state
}

function replaceFile(path: string, text: string): void {
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, text)
  renameSync(partial, path)
}
