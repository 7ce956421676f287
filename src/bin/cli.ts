/** `npm run --silent cli -- …`: what only operators do. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { installationCommands } from './commands/installation.ts'
import { keyCommands } from './commands/key.ts'
import { messageCommands } from './commands/message.ts'
import { segmentCommands } from './commands/segment.ts'
import { workspaceCommands } from './commands/workspace.ts'
import { main } from './lifecycle.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('dripline')
  .description('Operate Dripline')
  .version(version, '--version', 'tell which version this is')
  .showHelpAfterError('(--help tells what there is)')

installationCommands(program)
workspaceCommands(program)
keyCommands(program)
segmentCommands(program)
messageCommands(program)

main(async () => {
  await program.parseAsync()
})
