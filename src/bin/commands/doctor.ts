import type { Command } from 'commander'
import { table } from '../table.ts'
import { command, show, type Output } from './command.ts'

export function doctorCommand(program: Command): void {
  command(program, 'doctor', 'check the whole instance, and report problems and their solutions').action(
    async (options: Output) => {
      const { examine } = await import('../../runtime/doctor.ts')
      const { readRunning } = await import('../../../embedded/running-file.ts')
      const findings = await examine(process.env, ({ dataDir }) => readRunning(dataDir))
      show(findings, options, (all) =>
        table(
          ['', 'WHAT', 'IS'],
          all.map(({ is, what, words, advice }) => ({
            cells: [is === 'fine' ? 'ok' : is, what, words],
            below: advice === undefined ? [] : [advice],
          })),
          '',
        ),
      )
      if (findings.some(({ is }) => is === 'WRONG')) process.exitCode = 1
    },
  )
}
