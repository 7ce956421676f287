import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyWithMutant } from './mutate.ts'
import { MUTANTS } from './mutants.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Source folders that are bundled and run by Temporal. */
const WORKFLOW_CODE = /^(workflows|src\/automation-engine)\//

/** Builds the workflow code of a mutant, or the correct one, which is built once for all mutants that do not change it. */
export class WorkflowBundles {
  private readonly folder = mkdtempSync(join(tmpdir(), 'dripline-bundle-'))
  private sound: Promise<string> | undefined

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }))
  }

  /** @returns the path of the bundle */
  of(mutant: string | undefined): Promise<string> {
    const broken = mutant === undefined ? undefined : MUTANTS[mutant]
    if (!broken || !WORKFLOW_CODE.test(broken.file)) return (this.sound ??= this.build(ROOT, 'sound'))
    return this.build(copyWithMutant(ROOT, join(this.folder, `${mutant}`), broken), `${mutant}`)
  }

  private async build(root: string, name: string): Promise<string> {
    const file = join(this.folder, `${name}.js`)
    const bundler = spawn(process.execPath, [join(root, 'scripts/bundle-workflows.ts'), file], { stdio: 'ignore' })
    await new Promise((resolve) => bundler.once('close', resolve))
    if (!existsSync(file)) throw new Error('The workflow code could not be bundled')
    return file
  }
}
