/** `npm run api`: an API process without a worker. */
import { assertTemporalBinding } from '../instance/index.ts'
import { readConfig } from '../platform/config.ts'
import { unlessAborted } from '../platform/abort.ts'
import { openLog } from '../platform/log.ts'
import { assertMigrated, openContext, tracingOf } from '../runtime/context.ts'
import { metricsParts } from '../runtime/metrics-server.ts'
import { startApi } from '../runtime/api.ts'
import { readReachableTemporalBinding } from '../runtime/temporal-namespace.ts'
import { connectedConfig } from './embedded-config.ts'
import { exitWhenUnhealthy } from '../runtime/health.ts'
import { main, runUntilStopped, createStopSignal } from './lifecycle.ts'
import { rejectOptions } from './no-options.ts'

main(async () => {
  rejectOptions('npm run api')
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const stop = createStopSignal()
  await runUntilStopped(stop, async (closers) => {
    closers.add(tracingOf(config, 'dripline-api'))
    const context = openContext(config, log)
    closers.add(() => context.close())
    await unlessAborted(assertMigrated(context.orm), stop)
    await unlessAborted(
      readReachableTemporalBinding(context).then((place) => assertTemporalBinding(context.orm.em, place)),
      stop,
    )
    const metrics = await metricsParts(context)
    for (const part of metrics) closers.add(() => part.stop())
    const api = await startApi(context)
    closers.add(() => api.stop())
    log.info({ port: api.port }, 'The API is ready')
    return [api, exitWhenUnhealthy(context.health, log), ...metrics]
  })
})
