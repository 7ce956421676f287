/** `npm run api`: the API alone. */
import { readConfig } from '../config.ts'
import { openLog } from '../log.ts'
import { assertMigrated, metricsParts, openContext, startApi, tracingOf } from './compose.ts'
import { connectedConfig } from './embedded-config.ts'
import { main, runUntilStopped } from './lifecycle.ts'

main(async () => {
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const endTracing = tracingOf(config, 'dripline-api')
  const context = openContext(config, log)
  await assertMigrated(context.orm)
  const api = await startApi(context)
  log.info({ port: api.port }, 'The API is ready')
  await runUntilStopped([api, ...(await metricsParts(context))], async () => {
    await context.close()
    await endTracing()
  })
})
