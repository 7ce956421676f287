import { bundleWorkflows } from '../../src/temporal/worker.ts'

let bundle: ReturnType<typeof bundleWorkflows> | undefined

/** The workflow code of production, built once for the whole run. */
export const workflowBundle = (): ReturnType<typeof bundleWorkflows> => (bundle ??= bundleWorkflows())
