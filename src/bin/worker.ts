/** `npm run worker`: a worker alone. */
import { readConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { assertMigrated, openContext, prepareWorkerProcess, startWorker } from './compose.ts'
import { connectedConfig } from './embedded-config.ts'
import { main, runUntilStopped } from './lifecycle.ts'

main(async () => {
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const startMetrics = await prepareWorkerProcess(config, log)
  const context = openContext(config, log)
  await assertMigrated(context.orm)
  const worker = await startWorker(context)
  await runUntilStopped([worker, ...(await startMetrics(context))], () => context.close())
})
