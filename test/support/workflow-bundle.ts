import { bundleWorkflows } from '../../src/temporal/worker.ts'
import { askMainProcess } from './main-process.ts'

type Bundle = Awaited<ReturnType<typeof bundleWorkflows>>

let built: Promise<Bundle> | undefined
let found: Promise<Bundle> | undefined

/** Bundles the workflow code in this process, once. */
export const buildWorkflowBundle = (): Promise<Bundle> => (built ??= bundleWorkflows())

/** The workflow code of production, built once for the whole run, in Mocha's main process. */
export const workflowBundle = (): Promise<Bundle> =>
  (found ??= askMainProcess<Bundle>('/workflow-bundle').then((bundle) => bundle ?? buildWorkflowBundle()))

/** Returns the same code, except that a run continues as new after `maxEvents` events. */
export async function bundleWithShortRuns(maxEvents: number): Promise<Bundle> {
  const { code, ...rest } = await workflowBundle()
  const changed = code.replace('const MAX_EVENTS = 2000;', `const MAX_EVENTS = ${maxEvents};`)
  if (changed === code) throw new Error('The limit of workflows/history.ts has changed: update its text in this file')
  return { ...rest, code: changed }
}
