import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ColumnChoice, Consent, PresetName } from '../../imports/index.ts'
import { addCommand, print, printResult, type Output } from './command.ts'

interface Chosen extends Output {
  workspace: string
  preset?: PresetName
  consent?: Consent
  list?: string
  tag: string[]
  column: ColumnChoice[]
  triggers?: true
  confirmed?: true
  errors?: string
}

// Repeated from the imports module, which is loaded only when a command runs.
const PRESETS: readonly PresetName[] = [
  'listmonk',
  'mailchimp',
  'plunk',
  'keila',
  'buttondown',
  'brevo',
  'hubspot',
  'kit',
  'substack',
  'ghost',
]
const CONSENTS: readonly Consent[] = ['SUBSCRIBED', 'COLUMNS', 'UNSUBSCRIBED', 'BOUNCED']

export function importCommand(program: Command): void {
  addCommand(program, 'import', 'import a file of contacts; run it again to resume an interrupted import')
    .argument('<file>', 'CSV in any encoding, or JSON from Plunk')
    .requiredOption('--workspace <id>', 'the workspace')
    .addOption(new Option('--preset <name>', 'the service that exported the file').choices(PRESETS))
    .addOption(new Option('--consent <consent>', 'the consent of the contacts').choices(CONSENTS))
    .option('--list <id>', 'a list that contacts join unless they opted out')
    .option('--tag <tag>', 'a tag for the contacts; may be repeated', many, [])
    .option('--column <name=field>', 'what a column means: docs/import.md; may be repeated', aColumn, [])
    .option('--triggers', 'start automations')
    .option('--confirmed', 'the contacts confirmed the list elsewhere')
    .option('--errors <file>', 'a file for failed rows; by default next to the imported file')
    .action(async (path: string, options: Chosen) => {
      const { runImport } = await import('./run-import.ts')
      const isShown = process.stderr.isTTY && !options.json
      const say = (line: string) => isShown && process.stderr.write(`\r\x1b[K${line}`)
      const done = await runImport(
        { ...options, path },
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

const USAGE =
  'It must be a column and a field, such as "E-Mail=email", "Age=metadata.age:number", "Since=metadata.since:date:DD/MM/YYYY" ' +
  'or "Newsletter=consent:yes,ja".'

const NO_YES =
  'Add the values that mean yes, such as "Newsletter=consent:yes,ja", or "Unsubscribed at=consent:" if an empty cell means yes.'

/** Parses `Title=field`, with a type and a format of an attribute, a separator of tags, or the values of consent that mean yes. */
export function aColumn(value: string, before: ColumnChoice[]): ColumnChoice[] {
  const [, column, field = '', rest] = /^(.+)=((?:metadata\.)?[^:=]+)(?::(.*))?$/s.exec(value) ?? []
  if (column === undefined) throw new InvalidArgumentError(USAGE)
  // Consent without values that mean yes would suppress every contact of the file.
  if (field === 'consent') {
    if (rest === undefined) throw new InvalidArgumentError(NO_YES)
    return [...before, { column, field, yes: rest.split(',') }]
  }
  if (rest === undefined) return [...before, { column, field }]
  if (field === 'tags') return [...before, { column, field, format: rest as ColumnChoice['format'] }]
  const [, type, format] = /^(text|number|date|boolean)(?::(.+))?$/.exec(rest) ?? []
  if (type === undefined || !field.startsWith('metadata.')) throw new InvalidArgumentError(USAGE)
  const choice = { column, field, type: type as ColumnChoice['type'] }
  if (format === undefined) return [...before, choice]
  const more = type === 'boolean' ? { yes: format.split(',') } : { format: format as ColumnChoice['format'] }
  return [...before, { ...choice, ...more }]
}
