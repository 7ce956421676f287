/**
 * Rejects command line options of a process that takes none. Settings come from the environment, and an ignored option would look
 * like an effective one.
 *
 * @throws {Error} unless help was requested, in which case it prints the usage and ends the process
 */
export function rejectOptions(call: string, args: readonly string[] = process.argv.slice(2)): void {
  const [first] = args
  if (first === undefined) return
  const words = `${call} takes no options; settings are environment variables: see docs/configuration.md.`
  if (first !== '--help' && first !== '-h') throw new Error(`${words} Unexpected option: ${first}`)
  process.stdout.write(`${words}\n`)
  process.exit(0)
}
