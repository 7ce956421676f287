/** `npm run worker`: a worker without an API. */
import { readConfig } from '../platform/config.ts'
import { unlessAborted } from '../platform/abort.ts'
import { openLog } from '../platform/log.ts'
import { assertMigrated, openContext, tracingOf } from '../runtime/context.ts'
import { prepareWorkerProcess } from '../runtime/temporal-runtime.ts'
import { startWorker } from '../runtime/worker.ts'
import { connectedConfig } from './embedded-config.ts'
import { exitWhenUnhealthy } from '../runtime/health.ts'
import { main, runUntilStopped, createStopSignal } from './lifecycle.ts'
import { rejectOptions } from './no-options.ts'

main(async () => {
  rejectOptions('npm run worker')
  const config = connectedConfig(readConfig(process.env))
  const log = openLog(config.LOG_LEVEL)
  const stop = createStopSignal()
  await runUntilStopped(stop, async (closers) => {
    const startMetrics = await prepareWorkerProcess(config, log)
    closers.add(tracingOf(config, 'dripline-worker'))
    const context = openContext(config, log)
    closers.add(() => context.close())
    await unlessAborted(assertMigrated(context.orm), stop)
    // Start this first, because health checks must work while the process waits for Temporal.
    const metrics = await startMetrics(context)
    for (const part of metrics) closers.add(() => part.stop())
    const worker = await unlessAborted(startWorker(context, undefined, stop), stop)
    closers.add(() => worker.stop())
    return [worker, exitWhenUnhealthy(context.health, log), ...metrics]
  })
})
