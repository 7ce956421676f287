/**
 * Answers whoever gives options to a part that takes none: settings come from the environment, and an option that is passed
 * over in silence is a setting that somebody believes in.
 *
 * @throws {Error} that says so, unless help was asked for: then that is what is said, and the process ends.
 */
export function takesNoOptions(call: string, args: readonly string[] = process.argv.slice(2)): void {
  const [first] = args
  if (first === undefined) return
  const words = `${call} takes no options; settings are environment variables: see docs/configuration.md.`
  if (first !== '--help' && first !== '-h') throw new Error(`${words} It was given: ${first}`)
  process.stdout.write(`${words}\n`)
  process.exit(0)
}
