import { type Document, isMap, isNode, LineCounter, parseDocument, stringify } from 'yaml'
import type { JsonObject, Path } from './convert.ts'

/** A problem of a file, and how to correct it. */
export interface Problem {
  file: string
  line?: number
  message: string
}

/** Files that cannot be used. */
export class FileProblems extends Error {
  override name = 'FileProblems'
  readonly problems: readonly Problem[]
  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

const formatProblem = ({ file, line, message }: Problem): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${message}`

/** A YAML file with a map of keys and values. */
export class YamlFile {
  readonly file: string
  readonly value: JsonObject
  readonly #document: Document
  readonly #lines: LineCounter

  /** @throws {FileProblems} */
  constructor(file: string, text: string) {
    this.file = file
    this.#lines = new LineCounter()
    // Editors on Windows add a byte order mark.
    this.#document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: this.#lines, prettyErrors: false })
    const [error] = this.#document.errors
    if (error) {
      const { line } = this.#lines.linePos(error.pos[0])
      throw new FileProblems([{ file, line, message: `This is not valid YAML: ${error.message}` }])
    }
    if (!isMap(this.#document.contents))
      throw new FileProblems([
        { file, line: 1, message: 'The file must be a map of keys and values, such as "name: Welcome".' },
      ])
    this.value = this.#document.toJS() as JsonObject
  }

  has = (path: Path): boolean => this.#nodeAt(path) !== undefined

  /** Returns the line of a value, or of the nearest value around it. */
  lineOf(path: Path): number | undefined {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = this.#offsetOf(path.slice(0, length))
      if (offset !== undefined) return this.#lines.linePos(offset).line
    }
    return undefined
  }

  #offsetOf(path: Path): number | undefined {
    const parent = path.length === 0 ? undefined : this.#nodeAt(path.slice(0, -1))
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => String(isNode(key) ? key.toJSON() : key) === String(path.at(-1)))
      : undefined
    const node = pair ? pair.key : this.#nodeAt(path)
    return isNode(node) ? node.range?.[0] : undefined
  }

  #nodeAt = (path: Path): unknown =>
    path.length === 0 ? this.#document.contents : this.#document.getIn(path as unknown[], true)
}

/** Formats a file. The same value is always the same text. */
export const formatYaml = (value: JsonObject): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
