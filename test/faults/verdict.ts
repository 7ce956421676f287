import { mkdirSync, writeFileSync } from 'node:fs'
import type { Fault } from './chaos.ts'
import type { Verdict } from './check-promise.ts'

type Say = (line: string) => void

/** Prints the checks and their failures. @returns whether there are none */
export function sayVerdict({ checks }: Pick<Verdict, 'checks'>, say: Say): boolean {
  say('')
  for (const { name, examined, failures } of checks) {
    say(`${failures.length === 0 ? '✔' : '✘'} ${name} (${examined})`)
    for (const failure of failures.slice(0, 10)) say(`    ${failure}`)
    if (failures.length > 10) say(`    … and ${failures.length - 10} more`)
  }
  return checks.every(({ failures }) => failures.length === 0)
}

/** Counts the faults by kind and target. */
export const tallyOf = (faults: readonly Fault[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(Object.groupBy(faults, ({ what, target }) => `${what} ${target}`)).map(([name, of]) => [
      name,
      of?.length,
    ]),
  )

/** Writes the results of a run to `dist/faults.json`, and prints them in one line without the long ones. */
export function writeReport(report: object, long: object, { checks }: Pick<Verdict, 'checks'>, say: Say): void {
  const counted = checks.map(({ name, examined, failures }) => ({ name, examined, failed: failures.length }))
  const short = { ...report, checks: counted }
  mkdirSync('dist', { recursive: true })
  writeFileSync('dist/faults.json', `${JSON.stringify({ ...short, ...long, failures: checks }, null, 2)}\n`)
  say(JSON.stringify(short))
}
