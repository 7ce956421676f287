import type { Command } from 'commander'
import { formatTable } from '../table.ts'
import { addCommand, printResult, type Output } from './command.ts'

export function doctorCommand(program: Command): void {
  addCommand(program, 'doctor', 'check the whole instance, and report problems and their solutions').action(
    async (options: Output) => {
      const { runDoctor } = await import('../../runtime/doctor.ts')
      const { readRunning } = await import('../../../embedded/running-file.ts')
      const findings = await runDoctor(process.env, ({ dataDir }) => readRunning(dataDir))
      printResult(findings, options, (all) =>
        formatTable(
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
