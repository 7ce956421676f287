/** `npm run worker`: a worker alone. */
import { readConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { assertMigrated, openContext, prepareWorkerProcess, startWorker, tracingOf } from './compose.ts'
import { connectedConfig } from './embedded-config.ts'
import { main, runUntilStopped } from './lifecycle.ts'

main(async () => {
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const startMetrics = await prepareWorkerProcess(config, log)
  const endTracing = tracingOf(config, 'dripline-worker')
  const context = openContext(config, log)
  await assertMigrated(context.orm)
  const worker = await startWorker(context)
  await runUntilStopped([worker, ...(await startMetrics(context))], async () => {
    await context.close()
    await endTracing()
  })
})
