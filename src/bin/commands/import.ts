import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FormatName, FileStatus } from '../../imports/index.ts'
import { addCommand, print, printResult, type Output } from './command.ts'

interface Chosen extends Output {
  workspace: string
  format: FormatName
  as?: FileStatus
  list?: string
  tag: string[]
  column: { column: string; field: string }[]
  triggers?: true
  confirmed?: true
  errors?: string
}

// Repeated from the imports module, which is loaded only when a command runs.
const FORMATS: readonly FormatName[] = ['csv', 'listmonk', 'mailchimp', 'plunk']
const STANDINGS: readonly FileStatus[] = ['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED']

export function importCommand(program: Command): void {
  addCommand(program, 'import', 'import a file of contacts; run it again to resume an interrupted import')
    .argument('<file>', 'CSV in any encoding, or JSON from Plunk')
    .requiredOption('--workspace <id>', 'the workspace')
    .addOption(new Option('--format <format>', 'the source of the file').choices(FORMATS).default('csv'))
    .addOption(new Option('--as <standing>', 'the status of all contacts, if no column has it').choices(STANDINGS))
    .option('--list <id>', 'a list that contacts join unless they opted out')
    .option('--tag <tag>', 'a tag for the contacts; may be repeated', many, [])
    .option('--column <name=field>', 'the field of a column: docs/import.md; may be repeated', aColumn, [])
    .option('--triggers', 'start automations')
    .option('--confirmed', 'the contacts confirmed the list elsewhere')
    .option('--errors <file>', 'a file for failed rows; by default next to the imported file')
    .action(async (path: string, options: Chosen) => {
      const { runImport } = await import('./run-import.ts')
      const isShown = process.stderr.isTTY && !options.json
      const say = (line: string) => isShown && process.stderr.write(`\r\x1b[K${line}`)
      const done = await runImport(
        { ...options, path, as: options.as ?? fileStatusOf(options.format, basename(path)) },
        { note: (line) => process.stderr.write(`${line}\n`), progress: say },
      )
      if (isShown) process.stderr.write('\r\x1b[K')
      printResult(done, options, ({ created, updated, suppressed, failed }) =>
        [
          `Contacts created: ${created}, updated: ${updated}. Suppressed addresses: ${suppressed}.`,
          ...(failed > 0 ? [`Failed rows: ${failed}; see ${done.errorsIn ?? 'GET /imports/{id}/errors'}`] : []),
        ].join('\n'),
      )
      if (done.problem !== null)
        print(
          `The import stopped: ${done.problem}. Rows before that line were imported. Fix the file and import it again.`,
        )
      // Lets a nightly script detect that contacts are missing.
      if (done.problem !== null || done.failed > 0) process.exitCode = 1
    })
}

const many = (value: string, before: string[]): string[] => [...before, value]

function aColumn(value: string, before: Chosen['column']): Chosen['column'] {
  const [, column, field] = /^(.+)=([^=]+)$/s.exec(value) ?? []
  if (column === undefined || field === undefined)
    throw new InvalidArgumentError('It must be a column and a field, such as "E-Mail=email".')
  return [...before, { column, field }]
}

/** Mailchimp has the status only in the name of the file. */
export function fileStatusOf(format: FormatName, name: string): FileStatus | undefined {
  if (format !== 'mailchimp') return undefined
  if (/^(?:unsubscribed|nonsubscribed)/i.test(name)) return 'UNSUBSCRIBED'
  if (/^cleaned/i.test(name)) return 'BOUNCED'
  return /^subscribed/i.test(name) ? 'SUBSCRIBED' : undefined
}
