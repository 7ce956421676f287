/** `npm start`: everything on one machine. What the configuration does not place elsewhere is embedded. */
import { startEmbedded, type Embedded } from '../../scripts/embedded/client.ts'
import { assertPortFree } from '../../scripts/embedded/ports.ts'
import { resolveTemporalCli } from '../../scripts/temporal-cli.ts'
import { readConfig, type Config } from '../config.ts'
import { migrate, openOrm } from '../db/orm.ts'
import { openLog } from '../log.ts'
import { openContext, prepareWorkerProcess, startApi, startWorker, tracingOf, type ConnectedConfig } from './compose.ts'
import { createFirstWorkspace, welcome } from './first-start.ts'
import { main, onStopSignal } from './lifecycle.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

main(async () => {
  const config = readConfig(process.env)
  const signal = new Promise<void>((resolve) =>
    onStopSignal(() => {
      say('\nDripline stops …')
      resolve()
    }),
  )

  const closers: (() => Promise<void>)[] = []
  try {
    const embedded = await embeddedParts(config)
    if (embedded) closers.push(() => embedded.stop())
    await assertPortFree('PORT', config.PORT, config.HOST)
    const connected = {
      ...config,
      DATABASE_URL: config.DATABASE_URL ?? embedded?.databaseUrl ?? '',
      TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? embedded?.temporalAddress ?? '',
    }
    await prepareDatabase(connected)

    const log = openLog(config.LOG_LEVEL)
    closers.push(tracingOf(connected, 'dripline'))
    const startMetrics = await prepareWorkerProcess(connected, log)
    const context = openContext(connected, log)
    closers.push(() => context.close())
    const first = await createFirstWorkspace(context.orm.em)
    const worker = await startWorker(context)
    closers.push(() => worker.stop())
    const api = await startApi(context)
    closers.push(() => api.stop())
    for (const part of await startMetrics(context)) closers.push(() => part.stop())

    say(welcome({ port: api.port, temporalUiUrl: embedded?.temporalUiUrl, captures: !config.SMTP_URL, first }))
    await Promise.race([signal, worker.ended, api.ended, ...(embedded ? [embedded.ended] : [])])
  } finally {
    // The order of the start, backwards: HTTP, worker, connections, and last what they were connected to.
    for (const close of closers.reverse()) await close()
  }
})

async function embeddedParts(config: Config): Promise<Embedded | undefined> {
  if (config.DATABASE_URL && config.TEMPORAL_ADDRESS) return undefined
  const cliPath = config.TEMPORAL_ADDRESS ? undefined : await resolveTemporalCli(process.env, say)
  return startEmbedded(
    {
      dataDir: config.dataDir,
      ...(config.DATABASE_URL ? {} : { postgres: { port: config.POSTGRES_PORT } }),
      ...(cliPath === undefined
        ? {}
        : {
            temporal: {
              cliPath,
              port: config.TEMPORAL_PORT,
              uiPort: config.TEMPORAL_UI_PORT,
            },
          }),
    },
    say,
  )
}

async function prepareDatabase({ DATABASE_URL }: ConnectedConfig): Promise<void> {
  const orm = openOrm({ url: DATABASE_URL, timeoutMs: 120_000 })
  try {
    const done = await migrate(orm)
    if (done.length > 0) say(`Postgres: migrated (${done.join(', ')})`)
  } finally {
    await orm.close(true)
  }
}
