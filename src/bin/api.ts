/** `npm run api`: the API alone. */
import { assertWorkplace } from '../instance/index.ts'
import { readConfig } from '../platform/config.ts'
import { unlessAborted } from '../platform/abort.ts'
import { openLog } from '../platform/log.ts'
import { assertMigrated, openContext, tracingOf } from '../parts/context.ts'
import { metricsParts } from '../parts/metrics-server.ts'
import { startApi } from '../parts/api.ts'
import { readReachableWorkplace } from '../parts/workplace.ts'
import { connectedConfig } from './embedded-config.ts'
import { endWhenBeyondRecovery } from '../parts/health.ts'
import { main, runUntilStopped, stopSignal } from './lifecycle.ts'
import { takesNoOptions } from './no-options.ts'

main(async () => {
  takesNoOptions('npm run api')
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const stop = stopSignal()
  await runUntilStopped(stop, async (closers) => {
    closers.add(tracingOf(config, 'dripline-api'))
    const context = openContext(config, log)
    closers.add(() => context.close())
    await unlessAborted(assertMigrated(context.orm), stop)
    await unlessAborted(
      readReachableWorkplace(context).then((place) => assertWorkplace(context.orm.em, place)),
      stop,
    )
    const metrics = await metricsParts(context)
    for (const part of metrics) closers.add(() => part.stop())
    const api = await startApi(context)
    closers.add(() => api.stop())
    log.info({ port: api.port }, 'The API is ready')
    return [api, endWhenBeyondRecovery(context.health, log), ...metrics]
  })
})
