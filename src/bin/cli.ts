/** `npm run --silent cli -- …`: commands for operators. */
import { Command } from 'commander'
import { backupCommands } from './commands/backup.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { instanceCommands } from './commands/instance.ts'
import { keyCommands } from './commands/key.ts'
import { memberCommands } from './commands/member.ts'
import { messageCommands } from './commands/message.ts'
import { segmentCommands } from './commands/segment.ts'
import { workspaceCommands } from './commands/workspace.ts'
import { main } from './lifecycle.ts'
import { version } from '../platform/version.ts'

const program = new Command('dripline')
  .description('Operate Dripline')
  .version(version, '--version', 'print the version')
  .showHelpAfterError('(use --help for usage)')

instanceCommands(program)
backupCommands(program)
doctorCommand(program)
workspaceCommands(program)
keyCommands(program)
memberCommands(program)
segmentCommands(program)
importCommand(program)
exportCommand(program)
messageCommands(program)

// Exit handlers clean up after an interrupted command.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

// A reader such as `head` closes the pipe early. The command still runs to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

main(async () => {
  await program.parseAsync()
  // Flushes the output, because exiting does not wait for pipes: https://nodejs.org/api/process.html#a-note-on-process-io
  await new Promise((resolve) => process.stdout.write('', resolve))
})
