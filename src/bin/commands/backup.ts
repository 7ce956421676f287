import { InvalidArgumentError, type Command } from 'commander'
import { isTimestamp } from '../../platform/timestamp.ts'
import { table } from '../table.ts'
import { version } from '../version.ts'
import { command, print, show, type Output } from './command.ts'

const aFile = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('It is the path of a file.')
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
  // A day alone would be its first second, and all of the day be sent again.
  if (!isTimestamp(text) || !text.includes('T'))
    throw new InvalidArgumentError('It is an instant, such as 2026-11-21T09:30:00Z.')
  // What is due until then is not sent: a mistyped year would hold back all of it.
  if (new Date(text) > new Date()) throw new InvalidArgumentError('It has not come yet: nothing can be lost by then.')
  return new Date(text)
}

const MOVED = [
  'From now on, only this database knows what is sent. Never start the original again,',
  'unless with RESTORED=true.',
]

/** `backup`, `restore` and `reconcile`. */
export function backupCommands(program: Command): void {
  command(program, 'backup', 'save Postgres and Temporal of the npm start that runs')
    .argument('<file>', 'where to; it must not be there yet', aFile)
    .action(async (given: string, options: Output) => {
      const [{ saveBackup }, { readConfig }] = await Promise.all([
        import('../../../embedded/backup/save.ts'),
        import('../../platform/config.ts'),
      ])
      const { dataDir, DATABASE_URL, TEMPORAL_ADDRESS } = readConfig(process.env)
      // With one of its own, or another instance's: what is saved should not be a surprise.
      if (DATABASE_URL || TEMPORAL_ADDRESS) {
        throw new Error(
          'DATABASE_URL or TEMPORAL_ADDRESS is set: a backup is made of the embedded ones of npm start, and not of servers of ' +
            'your own. docs/operations.md, "Backups", has the commands for those.',
        )
      }
      const { file, manifest } = await saveBackup(dataDir, given, version)
      show({ file, createdAt: manifest.createdAt, version }, options, () => `Saved ${file}`)
    })

  command(program, 'restore', 'make a data folder (DATA_DIR) of a backup, for npm start')
    .argument('<file>', 'what backup has saved', aFile)
    .option('--ledger-only', 'without what Temporal ran, of a file that is not your own')
    .action(async (given: string, options: Output & { ledgerOnly?: true }) => {
      const { restore } = await import('./restore.ts')
      const { dataDir, manifest } = await restore(
        given,
        { ledgerOnly: options.ledgerOnly === true },
        (line) => options.json || print(line),
      )
      show({ dataDir, createdAt: manifest.createdAt, version: manifest.version }, options, () =>
        [
          `Restored ${dataDir} as it was at ${manifest.createdAt}. Start it with npm start. It sends no mail`,
          'until its ledger and Temporal agree: npm run cli -- reconcile',
          ...(options.ledgerOnly
            ? ['Its API keys are left out: npm run cli -- key create']
            : [
                'Keys, members and passwords are as they were then, also those deleted or changed since. Look at them:',
                'npm run cli -- key list, npm run cli -- member list',
              ]),
        ].join('\n'),
      )
    })

  command(program, 'reconcile', 'hold the ledger against Temporal: who is stranded goes on')
    .option('--dry-run', 'only tell what would be done')
    .option('--waive', 'let a restored instance send without that')
    .option('--lost-until <time>', 'when the instance stopped that the backup was made of', parseInstant)
    .option('--nothing-lost', 'nothing was sent after the backup')
    .option('--restored', 'say that the databases were restored: nothing is sent until it is reconciled')
    .action(async (options: Output & Chosen) => {
      if ([options.dryRun, options.waive, options.restored].filter(Boolean).length > 1) {
        throw new Error('--dry-run, --waive and --restored are three different things: give one of them.')
      }
      if (options.nothingLost && options.lostUntil) {
        throw new Error('--nothing-lost and --lost-until say different things: give one of them.')
      }
      if ((options.restored || options.dryRun) && (options.nothingLost || options.lostUntil)) {
        throw new Error(
          '--nothing-lost and --lost-until are for when mail goes on: --restored and --dry-run take neither.',
        )
      }
      const { hold, reconcileAll, waive } = await import('./reconcile.ts')
      if (options.restored) {
        await hold()
        return show({ restored: true }, options, () => 'Nothing is sent until you reconcile.')
      }
      const lostUntil = options.nothingLost ? null : options.lostUntil
      if (options.waive) {
        const waived = await waive(lostUntil)
        return show({ waived }, options, () =>
          [
            waived ? 'Sending is enabled.' : 'Sending was enabled already.',
            ...(waived && options.nothingLost ? MOVED : []),
          ].join('\n'),
        )
      }
      const isDry = options.dryRun === true
      const done = await reconcileAll({ isDry, lostUntil })
      const { active, running, differences, failed, isSending, wasSending } = done
      const isEnabled = isSending && !wasSending
      show(done, options, () =>
        [
          `${active} enrollments are ACTIVE by the ledger; ${running} workflows run.`,
          table(
            ['ENROLLMENT', isDry ? 'WOULD BE' : 'WAS'],
            differences.map(({ enrollmentId, contactId, automationId, what }) => ({
              cells: [enrollmentId ?? '(by an event)', what],
              below: [`the contact ${contactId}`, `in ${automationId}`],
            })),
            'They agree.',
          ),
          ...(isEnabled ? ['Sending is enabled.'] : isSending ? [] : ['Sending is still disabled.']),
          ...(isEnabled && options.nothingLost ? MOVED : []),
          ...(failed > 0 ? [`Of ${failed} nobody could tell; the log above says why. Ask again.`] : []),
        ].join('\n'),
      )
      if (failed > 0) process.exitCode = 1
    })
}
