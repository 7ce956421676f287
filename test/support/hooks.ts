import fc from 'fast-check'
import { installTemporalRuntime } from '../../src/runtime/temporal-runtime.ts'
import { startBrowser, stopBrowser } from './chromium.ts'
import { buildGallery, removeGallery } from './gallery.ts'
import { quietLog } from './log.ts'
import { offerToTestProcesses } from './main-process.ts'
import { shrinkPages } from './page-sizes.ts'
import { checkPrerequisites } from './prerequisites.ts'
import { startServices, stopServices } from './servers.ts'
import { stopSharedService } from './shared-service.ts'
import { shortenWaits } from './waits.ts'
import { buildWorkflowBundle } from './workflow-bundle.ts'

const runtime = installTemporalRuntime(quietLog)
shortenWaits()
shrinkPages()

// With a seed, the generated cases are the same in each run.
const { SEED } = process.env
if (SEED) fc.configureGlobal({ seed: Number(SEED) })

/** Runs once, in Mocha's main process. Downloading the programs can take minutes, so it does not count as a test's time. */
export async function mochaGlobalSetup(): Promise<void> {
  await checkPrerequisites()
  await offerToTestProcesses({
    '/services': startServices,
    '/browser': startBrowser,
    '/workflow-bundle': buildWorkflowBundle,
    '/gallery': buildGallery,
  })
}

export async function mochaGlobalTeardown(): Promise<void> {
  // Only if Mocha runs files in this process. The processes of a parallel run end with Mocha.
  await stopSharedService()
  await stopBrowser()
  await removeGallery()
  await stopServices()
  // The runtime ends with its last worker. Without any worker, it would keep the process from ending.
  await runtime.shutdown()
}
