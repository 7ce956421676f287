import { openLog } from '../../src/platform/log.ts'

/** TEST_LOG=debug shows the log of the service in a test. */
export const quietLog = openLog(process.env['TEST_LOG'] ?? 'silent')
