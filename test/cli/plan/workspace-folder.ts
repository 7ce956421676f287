import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Answer, Service } from '../../support/service.ts'
import { type CliRun, runCli } from '../cli.ts'

/** A planned change, as `dripline plan --json` prints it. */
export interface PlannedChange {
  action: string
  path: string
  differences: { field: string; before?: unknown; after?: unknown }[]
  effects: string[]
  drift?: { message: string; author?: { name: string; at: string } | null }
}

/** The file of an automation that asks to confirm the list "News". */
export const CONFIRMATION = `name: Confirm
status: ACTIVE
trigger: LIST_REQUESTED
triggerConfig: { list: News }
steps:
  - { id: ask, type: EMAIL, category: transactional, subject: Confirm, text: "{{ confirmUrl }}" }
`

/** A folder, and the workspace of a key to which it is applied. */
export class WorkspaceFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'dripline-plan-'))
  readonly #service: Service
  key: string

  constructor(service: Service, key: string) {
    this.#service = service
    this.key = key
  }

  delete(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  /** Calls the API with the key. */
  call(method: string, path: string, body?: object): Promise<Answer> {
    return this.#service.call(method, path, body, { key: this.key })
  }

  /** Calls the API, and returns its data. */
  async api(method: string, path: string, body?: object): Promise<Answer['body']> {
    const answer = await this.call(method, path, body)
    assert.equal(answer.refused, undefined, JSON.stringify(answer.body))
    return answer.body.data
  }

  run(command: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
    const login = { DRIPLINE_URL: `http://127.0.0.1:${this.#service.port}`, DRIPLINE_API_KEY: this.key }
    return runCli([command, this.path, ...args], { env: { ...login, ...env } })
  }

  async #json<Result>(command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<Result> {
    const { code, stdout, stderr } = await this.run(command, [...args, '--json'], env)
    assert.deepEqual([code, stderr], [0, ''])
    return JSON.parse(stdout) as Result
  }

  /** Returns the statuses of files. */
  async pull(...args: string[]): Promise<Record<string, string>> {
    const pulled = await this.#json<{ file: string; status: string }[]>('pull', args)
    return Object.fromEntries(pulled.map(({ file, status }) => [file, status]))
  }

  async plan(...args: string[]): Promise<PlannedChange[]> {
    return (await this.#json<{ changes: PlannedChange[] }>('plan', args)).changes
  }

  /** Returns the actions of the plan by path. */
  async actions(...args: string[]): Promise<Record<string, string>> {
    return Object.fromEntries((await this.plan(...args)).map(({ path, action }) => [path, action]))
  }

  async apply(args: string[] = [], env?: NodeJS.ProcessEnv): Promise<string[]> {
    const { applied } = await this.#json<{ applied: { path: string }[] }>('apply', ['--yes', ...args], env)
    return applied.map(({ path }) => path)
  }

  /** Runs a command that fails, and returns what it prints. */
  async fails(command: string, ...args: string[]): Promise<string> {
    const { code, stderr } = await this.run(command, args)
    assert.notEqual(code, 0)
    return stderr
  }

  read = (file: string): string => readFileSync(join(this.path, file), 'utf8')
  exists = (file: string): boolean => existsSync(join(this.path, file))
  remove = (file: string): void => rmSync(join(this.path, file), { recursive: true })

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true })
    writeFileSync(join(this.path, file), text)
  }

  edit(file: string, from: string, to: string): void {
    const text = this.read(file)
    assert.ok(text.includes(from), `${file} has no ${from}:\n${text}`)
    this.write(file, text.replaceAll(from, to))
  }

  files = (): string[] =>
    readdirSync(this.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.path.length + 1))
      .toSorted()
}
