import { parseArgs } from 'node:util'
import type { DriplineClient } from '@dripline/client'
import type { Output } from './output.ts'

/** An option of a command, as its help shows it. */
interface Option {
  /** The name of its value; omitted if the option takes none. */
  takes?: string
  /** Whether the option can be repeated. */
  many?: true
  what: string
}
export type Options = Readonly<Record<string, Option>>

type ValueOf<Of extends Option> = Of extends { takes: string }
  ? Of extends { many: true }
    ? string[]
    : string
  : boolean

export interface Input<Of extends Options> {
  /** The arguments, as many as the command declares. An optional one may be missing. */
  args: string[]
  options: { [Name in keyof Of]?: ValueOf<Of[Name]> }
  output: Output
  /** Connects to the instance. @throws {NotLoggedInError} */
  connect: (options?: { retries?: number }) => DriplineClient
}

export interface Command<Of extends Options = Options> {
  /** The words that call it, such as `contacts list`. */
  call: string
  /** Arguments, such as `ID`, or `[FOLDER]` if it is optional. */
  args?: readonly string[]
  what: string
  options?: Of
  run(input: Input<Of>): Promise<void>
}

/** Declares a command. Its options are typed by their declaration. */
export const defineCommand = <const Of extends Options = Record<never, never>>(command: Command<Of>): Command => command

/** The command line is wrong. The exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

const COMMON_OPTIONS: Options = {
  json: { what: 'print JSON' },
  help: { what: 'print this help' },
}

/** Parses the arguments and options of a command. @throws {UsageError} */
export function parseCommand(
  { call, args = [], options = {} }: Command,
  argv: string[],
): { args: string[]; options: Record<string, string | string[] | boolean | undefined> } {
  const hint = `See "dripline ${call} --help".`
  const config = Object.fromEntries(
    Object.entries({ ...options, ...COMMON_OPTIONS }).map(([name, { takes, many }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const), multiple: many === true },
    ]),
  )
  let parsed
  try {
    parsed = parseArgs({ args: argv, options: config, allowPositionals: true })
  } catch (error) {
    const [first = ''] = (error as Error).message.split('. ')
    throw new UsageError(`${first.replace(/\.$/, '')}. ${hint}`, { cause: error })
  }
  const { positionals, values } = parsed
  const required = args.filter((name) => !name.startsWith('['))
  // The help of a command needs no arguments.
  if (values['help'] !== true) {
    const missing = required[positionals.length]
    if (missing !== undefined) throw new UsageError(`${missing} is missing. ${hint}`)
    const extra = positionals[args.length]
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}". ${hint}`)
  }
  return { args: positionals, options: values as Record<string, string | string[] | boolean | undefined> }
}

/** Formats the help of a command. */
export function helpOf({ call, args = [], what, options = {} }: Command): string {
  const rows = Object.entries({ ...options, ...COMMON_OPTIONS }).map(
    ([name, { takes, many, what }]) =>
      [`--${name}${takes === undefined ? '' : ` ${takes}`}`, many ? `${what}; can be repeated` : what] as const,
  )
  return [`Usage: dripline ${[call, ...args].join(' ')} [OPTION …]`, '', what, '', ...columns(rows)].join('\n')
}

/** Formats the help of all commands, or of those that begin with a word. */
export function helpOfAll(commands: readonly Command[], word?: string): string {
  const rows = commands
    .filter(({ call }) => word === undefined || call.split(' ')[0] === word)
    .map(({ call, args = [], what }) => [[call, ...args].join(' '), what.replace(/\.(?: .*)?$/, '')] as const)
  const lines = columns(rows)
  return [
    `Usage: dripline ${word ?? 'COMMAND'} [OPTION …]`,
    '',
    ...(word === undefined ? ['Works with a workspace of Dripline. Start with "dripline login".', ''] : []),
    ...lines,
    '',
    'Every command has --help and --json.',
    ...(word === undefined
      ? ['DRIPLINE_URL and DRIPLINE_API_KEY replace the login. Exit codes: 1 failed, 2 wrong usage, 3 no valid key.']
      : []),
  ].join('\n')
}

function columns(rows: (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`)
}

/** Parses an option that is a whole number. @throws {UsageError} */
export function parseCount(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} must be a whole number from 1.`)
  return Number(text)
}

/** Parses an option that is a JSON object. @throws {UsageError} */
export function parseObject(text: string | undefined, name: string): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new UsageError(`--${name} must be a JSON object, such as '{"plan":"pro"}'.`)
}
