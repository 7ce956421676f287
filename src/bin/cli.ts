/** `npm run --silent cli -- …`: what only operators do. */
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
import { version } from './version.ts'

const program = new Command('dripline')
  .description('Operate Dripline')
  .version(version, '--version', 'tell which version this is')
  .showHelpAfterError('(--help tells what there is)')

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

// What it has begun is cleared away on its way out.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

// Who reads only the beginning, as `head` does, has had enough; what is done is done to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

main(async () => {
  await program.parseAsync()
  // The end of the process waits for no pipe: https://nodejs.org/api/process.html#a-note-on-process-io
  await new Promise((resolve) => process.stdout.write('', resolve))
})
