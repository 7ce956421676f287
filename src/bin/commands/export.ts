import type { Command } from 'commander'
import { command, show, type Output } from './command.ts'

/** `export` */
export function exportCommand(program: Command): void {
  command(program, 'export', 'write all that a workspace has into a file, a line of JSON each')
    .argument('<file>', 'where to; it must not be there yet')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(async (path: string, options: Output & { workspace: string }) => {
      const { runExport } = await import('./run-export.ts')
      show(await runExport(path, options.workspace), options, ({ lines }) => `Wrote ${lines} lines to ${path}`)
    })
}
