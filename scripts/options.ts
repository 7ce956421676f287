import { parseArgs } from 'node:util'

/** One option of a script: a switch, unless it takes a value. */
export interface Option {
  /** The placeholder of its value, such as `NAME`. */
  takes?: string
  what: string
}

type Values<Options extends Record<string, Option>> = {
  [Name in keyof Options]: Options[Name] extends { takes: string } ? string | undefined : boolean
}

export interface Usage<Options extends Record<string, Option>> {
  /** The command without its options: `npm run bench -- [NAME …]`. */
  call: string
  /** A sentence about the purpose of the script. */
  what: string
  options: Options
  /** True if the script takes arguments that are not options. */
  words?: boolean
}

/** Parses the arguments of a script, and prints the help for `--help`. An error is one line without a stack trace. */
export function readOptions<const Options extends Record<string, Option>>(
  usage: Usage<Options>,
): { values: Values<Options>; words: string[] } {
  const options = Object.fromEntries(
    Object.entries(usage.options).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const help = { type: 'boolean', short: 'h' } as const
  let parsed
  try {
    parsed = parseArgs({ options: { ...options, help }, allowPositionals: true })
  } catch (error) {
    // Node's second sentence explains arguments that start with a dash, which no script has.
    const [sentence] = (error as Error).message.split('. ')
    return refuse(`${sentence!.replace(/\.$/, '')}. --help lists the options.`)
  }
  const { help: isAsked, ...given } = parsed.values as Record<string, string | boolean | undefined>
  if (isAsked) {
    process.stdout.write(`${helpOf(usage)}\n`)
    process.exit(0)
  }
  const [word] = parsed.positionals
  if (word !== undefined && !usage.words) return refuse(`"${word}" is not an option. --help lists the options.`)
  const values = Object.fromEntries(
    Object.entries(usage.options).map(([name, { takes }]) => [
      name,
      given[name] ?? (takes === undefined ? false : undefined),
    ]),
  )
  return { values: values as Values<Options>, words: parsed.positionals }
}

function helpOf({ call, what, options }: Usage<Record<string, Option>>): string {
  const all: [string, Option][] = [...Object.entries(options), ['help', { what: 'print this' }]]
  const names = all.map(([name, { takes }]) => `--${name}${takes === undefined ? '' : ` ${takes}`}`)
  const width = Math.max(...names.map((name) => name.length))
  return [`${call}: ${what}`, '', ...all.map(([, option], n) => `  ${names[n]!.padEnd(width)}  ${option.what}`)].join(
    '\n',
  )
}

/** Ends the script with one line that says what is wrong. */
export function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/**
 * Parses a whole number. Anything else is rejected: a run with no seeds or unintended ones would pass without having tested
 * anything.
 */
export function wholeNumber<Missing extends number | undefined>(
  name: string,
  value: string | undefined,
  { least, otherwise }: { least: number; otherwise: Missing },
): number | Missing {
  if (value === undefined) return otherwise
  const number = /^\d+$/.test(value) ? Number(value) : NaN
  if (!Number.isSafeInteger(number) || number < least) {
    refuse(`--${name} must be a whole number, ${least} or more`)
  }
  return number
}

/** Rejects an unknown name. */
export function assertKnown(what: string, name: string | undefined, among: object, list: string): void {
  if (name !== undefined && !Object.hasOwn(among, name)) refuse(`There is no ${what} "${name}". ${list} lists them.`)
}
