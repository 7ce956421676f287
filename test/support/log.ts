import { openLog } from '../../src/platform/log.ts'

/** Set TEST_LOG=debug to see what the parts say in a test. */
export const quietLog = openLog(process.env['TEST_LOG'] ?? 'silent')
