import { installTemporalRuntime } from '../../src/bin/compose.ts'
import { quietLog } from './log.ts'
import { stopServices } from './services.ts'

installTemporalRuntime(quietLog)

/** The services are started by the first test that needs them, and stopped after the last. */
export const mochaGlobalTeardown = (): Promise<void> => stopServices()
