import { basename } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FormatName, Standing } from '../../imports/index.ts'
import { command, print, show, type Output } from './command.ts'

interface Chosen extends Output {
  workspace: string
  format: FormatName
  as?: Standing
  list?: string
  tag: string[]
  column: { column: string; field: string }[]
  triggers?: true
  confirmed?: true
  errors?: string
}

// As they are in the room, which is loaded when it is asked for something.
const FORMATS: readonly FormatName[] = ['csv', 'listmonk', 'mailchimp', 'plunk']
const STANDINGS: readonly Standing[] = ['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED']

/** `import` */
export function importCommand(program: Command): void {
  command(program, 'import', 'import a file of contacts; stopped, the same command goes on')
    .argument('<file>', 'CSV in any encoding; of Plunk, its JSON as well')
    .requiredOption('--workspace <id>', 'the workspace')
    .addOption(new Option('--format <format>', 'whose file it is').choices(FORMATS).default('csv'))
    .addOption(new Option('--as <standing>', 'what all of them are, where no column says').choices(STANDINGS))
    .option('--list <id>', 'a list that they join who have not opted out')
    .option('--tag <tag>', 'a tag that they get; may be repeated', many, [])
    .option('--column <name=field>', 'which column is what: docs/import.md; repeated', aColumn, [])
    .option('--triggers', 'let it start automations')
    .option('--confirmed', 'they have confirmed elsewhere that they want to be in the list')
    .option('--errors <file>', 'where rows that fail are told; without it, beside the file')
    .action(async (path: string, options: Chosen) => {
      const { runImport } = await import('./run-import.ts')
      const isShown = process.stderr.isTTY && !options.json
      const say = (line: string) => isShown && process.stderr.write(`\r\x1b[K${line}`)
      const done = await runImport(
        { ...options, path, as: options.as ?? standingOf(options.format, basename(path)) },
        { note: (line) => process.stderr.write(`${line}\n`), progress: say },
      )
      if (isShown) process.stderr.write('\r\x1b[K')
      show(done, options, ({ created, updated, suppressed, failed }) =>
        [
          `Contacts that are new: ${created}; that were there: ${updated}. Addresses that are not mailed: ${suppressed}.`,
          ...(failed > 0 ? [`Rows that failed: ${failed}; see ${done.errorsIn ?? 'GET /imports/{id}/errors'}`] : []),
        ].join('\n'),
      )
      if (done.problem !== null)
        print(`It ends there: ${done.problem}. What is before that is done. Mend the file, and import it again.`)
      // A script that imports each night has to know that somebody is missing.
      if (done.problem !== null || done.failed > 0) process.exitCode = 1
    })
}

const many = (value: string, before: string[]): string[] => [...before, value]

function aColumn(value: string, before: Chosen['column']): Chosen['column'] {
  const [, column, field] = /^(.+)=([^=]+)$/s.exec(value) ?? []
  if (column === undefined || field === undefined)
    throw new InvalidArgumentError('It is a column and a field, such as "E-Mail=email".')
  return [...before, { column, field }]
}

/** Mailchimp says it by the name of the file alone. */
export function standingOf(format: FormatName, name: string): Standing | undefined {
  if (format !== 'mailchimp') return undefined
  if (/^(?:unsubscribed|nonsubscribed)/i.test(name)) return 'UNSUBSCRIBED'
  if (/^cleaned/i.test(name)) return 'BOUNCED'
  return /^subscribed/i.test(name) ? 'SUBSCRIBED' : undefined
}
