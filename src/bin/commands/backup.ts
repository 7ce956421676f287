import { InvalidArgumentError, type Command } from 'commander'
import { isTimestamp } from '../../platform/timestamp.ts'
import { formatTable } from '../table.ts'
import { version } from '../../platform/version.ts'
import { addCommand, print, printResult, type Output } from './command.ts'

const aFile = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('The path is empty.')
  return text
}

interface Chosen {
  dryRun?: true
  waive?: true
  restored?: true
  lostUntil?: Date
  nothingLost?: true
}

function parseInstant(text: string): Date {
  // A date without a time would mean its first second, and emails of the whole day would be sent again.
  if (!isTimestamp(text) || !text.includes('T'))
    throw new InvalidArgumentError('It must be a timestamp, such as 2026-11-21T09:30:00Z.')
  // Messages that are due before this time are not sent. A mistyped year would hold back all of them.
  if (new Date(text) > new Date()) throw new InvalidArgumentError('It must be in the past.')
  return new Date(text)
}

const MOVED = [
  'From now on, only this database knows what was sent. Never start the original again,',
  'unless with RESTORED=true.',
]

const REPEAT_STOPS = [
  'Repeat every stop that was made after the backup: pauses, unsubscribes, suppressions, erasures,',
  'and deletions of automations. This database does not know them.',
]

/** `backup`, `restore` and `reconcile`. */
export function backupCommands(program: Command): void {
  addCommand(program, 'backup', 'save Postgres and Temporal of the running npm start')
    .argument('<file>', 'the file to create; it must not exist yet', aFile)
    .action(async (given: string, options: Output) => {
      const [{ saveBackup }, { readConfig }] = await Promise.all([
        import('../../../embedded/backup/save.ts'),
        import('../../platform/config.ts'),
      ])
      const { dataDir, DATABASE_URL, TEMPORAL_ADDRESS } = readConfig(process.env)
      // Another server in the environment is most likely a mistake: the backup would not be of that server.
      if (DATABASE_URL || TEMPORAL_ADDRESS) {
        throw new Error(
          'DATABASE_URL or TEMPORAL_ADDRESS is set, but "backup" saves only the embedded servers of npm start. ' +
            'docs/operations.md, "Backups", has the commands for external servers.',
        )
      }
      const { file, manifest } = await saveBackup(dataDir, given, version)
      printResult({ file, createdAt: manifest.createdAt, version }, options, () => `Saved ${file}`)
    })

  addCommand(program, 'restore', 'create a data folder (DATA_DIR) from a backup, for npm start')
    .argument('<file>', 'a file that "backup" created', aFile)
    .option('--without-temporal', "without Temporal's data, for a file from an untrusted source")
    .action(async (given: string, options: Output & { withoutTemporal?: true }) => {
      const { restore } = await import('./restore.ts')
      const { dataDir, manifest } = await restore(
        given,
        { withoutTemporal: options.withoutTemporal === true },
        (line) => options.json || print(line),
      )
      printResult({ dataDir, createdAt: manifest.createdAt, version: manifest.version }, options, () =>
        [
          `Restored ${dataDir} as it was at ${manifest.createdAt}. Start it with npm start. It sends no mail`,
          'until you reconcile its database with Temporal: npm run cli -- reconcile',
          ...(options.withoutTemporal
            ? ['API keys are not restored. Create new ones: npm run cli -- key create']
            : [
                'Keys, members and passwords are restored as they were, including those deleted or changed since. Check them:',
                'npm run cli -- key list, npm run cli -- member list',
              ]),
        ].join('\n'),
      )
    })

  addCommand(program, 'reconcile', 'compare the database with Temporal and repair enrollments that differ')
    .option('--dry-run', 'only report what would be done')
    .option('--waive', 'enable sending on a restored instance without a comparison')
    .option('--lost-until <time>', 'when the original instance stopped sending', parseInstant)
    .option('--nothing-lost', 'no email was sent after the backup')
    .option('--restored', 'mark the databases as restored: nothing is sent until they are reconciled')
    .action(async (options: Output & Chosen) => {
      if ([options.dryRun, options.waive, options.restored].filter(Boolean).length > 1) {
        throw new Error('--dry-run, --waive and --restored cannot be combined. Give one of them.')
      }
      if (options.nothingLost && options.lostUntil) {
        throw new Error('--nothing-lost and --lost-until cannot be combined. Give one of them.')
      }
      if ((options.restored || options.dryRun) && (options.nothingLost || options.lostUntil)) {
        throw new Error(
          '--nothing-lost and --lost-until cannot be combined with --restored or --dry-run: they apply when sending is enabled.',
        )
      }
      const { disableSending, reconcileAll, enableSendingAfterRestore } = await import('./reconcile.ts')
      if (options.restored) {
        await disableSending()
        return printResult({ restored: true }, options, () => 'Nothing is sent until you reconcile.')
      }
      const lostUntil = options.nothingLost ? null : options.lostUntil
      if (options.waive) {
        const waived = await enableSendingAfterRestore(lostUntil)
        return printResult({ waived }, options, () =>
          [
            waived ? 'Sending is enabled.' : 'Sending was already enabled.',
            ...(waived ? (options.nothingLost ? MOVED : REPEAT_STOPS) : []),
          ].join('\n'),
        )
      }
      const isDry = options.dryRun === true
      const done = await reconcileAll({ isDry, lostUntil })
      const { active, running, differences, failed, isSending, wasSending } = done
      const isEnabled = isSending && !wasSending
      printResult(done, options, () =>
        [
          `${active} enrollments are ACTIVE in the database; ${running} workflows are running.`,
          formatTable(
            ['ENROLLMENT', isDry ? 'WOULD BE' : 'WAS'],
            differences.map(({ enrollmentId, contactId, automationId, what }) => ({
              cells: [enrollmentId ?? '(by an event)', what],
              below: [`contact ${contactId}`, `in ${automationId}`],
            })),
            'They agree.',
          ),
          ...(isEnabled ? ['Sending is enabled.'] : isSending ? [] : ['Sending is still disabled.']),
          ...(isEnabled ? (options.nothingLost ? MOVED : REPEAT_STOPS) : []),
          ...(failed > 0
            ? [`${failed} could not be checked. The log above has the reasons. Run the command again.`]
            : []),
        ].join('\n'),
      )
      if (failed > 0) process.exitCode = 1
    })
}
