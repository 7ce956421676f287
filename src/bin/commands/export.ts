import type { Command } from 'commander'
import { addCommand, printResult, type Output } from './command.ts'

export function exportCommand(program: Command): void {
  addCommand(program, 'export', 'write all data of a workspace to a file, as one JSON object per line')
    .argument('<file>', 'the file to create; it must not exist yet')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(async (path: string, options: Output & { workspace: string }) => {
      const { runExport } = await import('./run-export.ts')
      printResult(await runExport(path, options.workspace), options, ({ lines }) => `Wrote ${lines} lines to ${path}`)
    })
}
