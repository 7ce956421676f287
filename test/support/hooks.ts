import { installTemporalRuntime } from '../../src/bin/compose.ts'
import { quietLog } from './log.ts'
import { stopServices } from './services.ts'

const runtime = installTemporalRuntime(quietLog)

/** The services are started by the first test that needs them, and stopped after the last. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopServices()
  // It ends by itself with its last worker; in a run that had none, it would keep the process from ending.
  await runtime.shutdown()
}
