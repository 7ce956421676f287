import { bundleWorkflows } from '../../src/temporal/worker.ts'

let bundle: ReturnType<typeof bundleWorkflows> | undefined

/** The workflow code of production, built once for the whole run. */
export const workflowBundle = (): ReturnType<typeof bundleWorkflows> => (bundle ??= bundleWorkflows())

/** Returns the same code, except that a run continues as new after `maxEvents` events. */
export async function bundleWithShortRuns(maxEvents: number): ReturnType<typeof bundleWorkflows> {
  const { code, ...rest } = await workflowBundle()
  const changed = code.replace('const MAX_EVENTS = 2000;', `const MAX_EVENTS = ${maxEvents};`)
  if (changed === code) throw new Error('The limit of workflows/history.ts has changed: update its text in this file')
  return { ...rest, code: changed }
}
