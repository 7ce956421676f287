import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { orNearest } from './convert.ts'
import { type Kind, KINDS } from './shapes.ts'
import { FileProblems, type Problem, YamlFile } from './yaml-file.ts'

const YAML = '.yaml'
const IS_YAML = /\.ya?ml$/i
/** The file of the sender. A workspace has one, so it has no folder. */
export const SENDER_PATH = 'sender'
export const LOCK_FILE = 'dripline.lock'

const FOLDERS = KINDS.filter((kind) => kind !== 'sender')

/** A file of a resource. Its path has no extension: `lists/newsletter`. */
export interface ResourceFile {
  kind: Kind
  path: string
  yaml: YamlFile
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** A folder with one YAML file per resource, and the contents of emails beside them. */
export class Folder {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** Reads a file. Line ends of Windows become those of Linux, because Git and editors change them. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.root, path), 'utf8').replaceAll('\r\n', '\n')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Replaces a file atomically. */
  write(path: string, text: string): void {
    const target = join(this.root, path)
    // A file can name another one beside it for a text, and a folder can be a link.
    if (!this.contains(path) || !this.contains(dirname(path)))
      throw new Error(`"${path}" is outside of the folder "${this.root}". Nothing was written there.`)
    mkdirSync(dirname(target), { recursive: true })
    const partial = `${target}.${process.pid}`
    writeFileSync(partial, text)
    renameSync(partial, target)
  }

  /** Deletes a file, and its folder if that is empty then. */
  delete(path: string): void {
    rmSync(join(this.root, path), { force: true })
    try {
      if (dirname(path) !== '.') rmdirSync(join(this.root, dirname(path)))
    } catch {
      // Other files are in it.
    }
  }

  /** Returns whether a path, relative to the folder, is inside of it, also behind symbolic links. */
  contains(path: string): boolean {
    const isInside = (root: string, target: string) => {
      const way = relative(root, target)
      return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
    }
    const target = resolve(this.root, path)
    if (isAbsolute(path) || !isInside(resolve(this.root), target)) return false
    try {
      return isInside(realpathSync(this.root), realpathSync(target))
    } catch (error) {
      // A missing file is reported by its reader.
      if (isMissing(error)) return true
      throw error
    }
  }

  /**
   * Reads the files of all resources.
   *
   * @param ignoresProblems whether invalid files are left out
   * @throws {FileProblems}
   */
  resources(ignoresProblems = false): ResourceFile[] {
    const problems: Problem[] = []
    const files: ResourceFile[] = []
    const add = (kind: Kind, file: string) => {
      try {
        files.push({ kind, path: file.slice(0, -YAML.length), yaml: new YamlFile(file, this.read(file) ?? '') })
      } catch (error) {
        if (!(error instanceof FileProblems)) throw error
        problems.push(...error.problems)
      }
    }
    for (const entry of this.#entries('.')) {
      const { name } = entry
      if (name.startsWith('.') || name === LOCK_FILE) continue
      const kind = FOLDERS.find((one) => one === name)
      if (name === SENDER_PATH + YAML) add('sender', name)
      else if (kind && entry.isDirectory()) {
        for (const inside of this.#entries(name)) {
          const file = `${name}/${inside.name}`
          if (file.endsWith(YAML)) add(kind, file)
          else if (IS_YAML.test(file)) problems.push({ file, message: 'The extension must be ".yaml".' })
          // The contents of emails are in such folders.
          if (!inside.isDirectory()) continue
          for (const { name: deeper } of this.#entries(file).filter((each) => IS_YAML.test(each.name)))
            problems.push({ file: `${file}/${deeper}`, message: `Files of ${name} must be in "${name}" itself.` })
        }
      } else if (entry.isDirectory() || IS_YAML.test(name))
        problems.push({ file: name, message: `This is not a folder of resources${orNearest(name, FOLDERS)}` })
    }
    if (problems.length > 0 && !ignoresProblems) throw new FileProblems(problems)
    return files
  }

  #entries(path: string) {
    try {
      const entries = readdirSync(join(this.root, path), { withFileTypes: true })
      return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }
}

export const yamlFileOf = (path: string): string => path + YAML
