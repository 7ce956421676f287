/** `npm start`: everything on one machine. Services without a configured address are embedded. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { startEmbedded, type Embedded } from '../../embedded/client.ts'
import { assertNotHalfRestored, isCopy, makeDataFolder, renewGeneration } from '../../embedded/data-folder.ts'
import { assertFolderFree } from '../../embedded/owner.ts'
import { createSecretsKey } from '../../embedded/secrets-key.ts'
import { assertPortFree, assertPortsDiffer, type PortSetting } from '../../embedded/ports.ts'
import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { createFirstInvitation } from '../accounts/index.ts'
import { readConfig, type Config } from '../platform/config.ts'
import { type EntityManager, migrate, MIGRATION_TIMEOUT_MS } from '../platform/db/orm.ts'
import { migrationNames, openDatabase } from '../schema/index.ts'
import { unlessAborted } from '../platform/abort.ts'
import { openLog } from '../platform/log.ts'
import { findPublicUrl, mailModeOf, NO_SENDER, readSendingGate } from '../instance/index.ts'
import { openContext, tracingOf, type ConnectedConfig } from '../runtime/context.ts'
import { prepareWorkerProcess } from '../runtime/temporal-runtime.ts'
import { startApi } from '../runtime/api.ts'
import { startWorker } from '../runtime/worker.ts'
import { markRestored } from '../relay/index.ts'
import { createFirstWorkspace, type FirstKeys } from '../workspaces/index.ts'
import { formatWelcome } from './first-start.ts'
import { exitWhenUnhealthy } from '../runtime/health.ts'
import { main, runUntilStopped, createStopSignal } from './lifecycle.ts'
import { rejectOptions } from './no-options.ts'

/**
 * Milliseconds between two renewals of the data folder's generation, which distinguishes the folder from any copy or snapshot of
 * it.
 */
const GENERATION_MS = 60_000

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Embedded servers of a killed start may still be running. They are replaced, so only these ports must be free. */
const OWN_PORTS = ['PORT', 'METRICS_PORT', 'BOUNCE_PORT', 'SMTP_SUBMISSION_PORT']

main(async () => {
  rejectOptions('npm start')
  // Only the owner can read new files in the data folder.
  process.umask(0o077)
  const config = readConfig(process.env)
  const stop = createStopSignal(() => say('\nDripline is stopping …'))

  await runUntilStopped(stop, async (closers) => {
    const embedded = await embeddedParts(config, stop)
    if (embedded) closers.add(() => embedded.stop())
    const connected = {
      ...config,
      SECRETS_KEY: config.SECRETS_KEY ?? (embedded && ownSecretsKey(config.dataDir)),
      DATABASE_URL: config.DATABASE_URL ?? embedded?.databaseUrl ?? '',
      TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? embedded?.temporalAddress ?? '',
      TEMPORAL_UI_URL: config.TEMPORAL_UI_URL ?? embedded?.temporalUiUrl,
    }
    await unlessAborted(prepareDatabase(connected), stop)

    const log = openLog(config.LOG_LEVEL)
    closers.add(tracingOf(connected, 'dripline'))
    const startMetrics = await prepareWorkerProcess(connected, log)
    const context = openContext(connected, log)
    closers.add(() => context.close())
    // With an external database, the data folder contains only Temporal's data.
    if (config.DATABASE_URL !== undefined && (config.RESTORED || (embedded && isCopy(config.dataDir))))
      await markRestored(context.orm.em)
    if (embedded) closers.add(keepRenewing(config.dataDir))
    const worker = await unlessAborted(startWorker(context, undefined, stop), stop)
    closers.add(() => worker.stop())
    const api = await startApi(context)
    closers.add(() => api.stop())
    const metrics = await startMetrics(context)
    for (const part of metrics) closers.add(() => part.stop())

    // Last, when nothing else can fail: keys are shown only once.
    const { port } = api
    const { isOpen: sends } = await readSendingGate(context.orm.em.fork())
    const ready = { port, temporalUiUrl: embedded?.temporalUiUrl, config, mailFrom: worker.mailFrom, sends }
    const greet = async (em: EntityManager, first?: FirstKeys) => {
      const firstToken = await createFirstInvitation(em)
      const publicUrl = await findPublicUrl(em, { ...config, PORT: port })
      say(formatWelcome({ ...ready, publicUrl, first, firstToken }))
    }
    const { em } = context.orm
    if (!(await createFirstWorkspace(em, (first, transaction) => greet(transaction, first)))) await greet(em.fork())
    return [worker, api, exitWhenUnhealthy(context.health, log), ...metrics, ...(embedded ? [embedded] : [])]
  })
  say('Dripline has stopped.')
})

/** The key in the data folder. Its loss makes stored secrets unreadable, so its creation is announced. */
function ownSecretsKey(dataDir: string): string {
  const { key, created } = createSecretsKey(dataDir)
  if (created !== undefined)
    say(
      `Created ${created}. It encrypts stored secrets. Keep a copy in a safe place, apart from your backups, or set SECRETS_KEY.`,
    )
  return key
}

async function embeddedParts(config: Config, stop: AbortSignal): Promise<Embedded | undefined> {
  assertPortsDiffer(placesOf(config))
  assertSenderKnown(config)
  const isEmbedded = !config.DATABASE_URL || !config.TEMPORAL_ADDRESS
  const assertFree = async (places: readonly PortSetting[]) => {
    const checks = places.map(({ variable, port, host }) => assertPortFree(variable, port, host))
    const problems = (await Promise.allSettled(checks)).filter((check) => check.status === 'rejected')
    // All at once, because another start of Dripline uses all of them.
    if (problems.length > 0) throw new Error(problems.map(({ reason }) => (reason as Error).message).join('\n'))
  }
  // Nothing can be running on a folder that does not exist, and a failed start must not create one.
  if (!existsSync(config.dataDir)) await assertFree(placesOf(config))
  if (isEmbedded) {
    assertNotHalfRestored(config.dataDir)
    makeDataFolder(config.dataDir)
    assertFolderFree(config.dataDir)
  }
  // Before anything is started, and before Temporal is built, which takes minutes.
  await assertFree(placesOf(config).filter(({ variable }) => OWN_PORTS.includes(variable)))
  if (!isEmbedded) return undefined
  const cliPath = config.TEMPORAL_ADDRESS
    ? undefined
    : await unlessAborted(resolveTemporalCli(process.env, say, stop), stop)
  // Before any process can send.
  if (config.DATABASE_URL === undefined) await markIfCopied(config, stop)
  const embedded = await startEmbedded(
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
    stop,
  )
  return embedded
}

/**
 * Renews the generation of the data folder regularly, so that it differs from any copy. @returns a function that renews it one
 * last time, when nothing is sent anymore
 */
function keepRenewing(dataDir: string): () => Promise<void> {
  if (!renewGeneration(dataDir)) {
    say(`The file system of ${dataDir} does not store creation times of files. Start a copy of it with RESTORED=true`)
  }
  const timer = setInterval(() => renewQuietly(dataDir), GENERATION_MS).unref()
  return () => {
    clearInterval(timer)
    renewQuietly(dataDir)
    return Promise.resolve()
  }
}

/** A full disk does not stop the start. It only makes a copy that is created now harder to detect. */
function renewQuietly(dataDir: string): void {
  try {
    renewGeneration(dataDir)
  } catch {
    // Tried again at the next renewal.
  }
}

/**
 * Marks a data folder that was restored from a copy: emails may have been sent since then that its database does not know. This
 * happens before other processes can find its Postgres, because a worker next to this process sends as soon as it does.
 */
async function markIfCopied({ dataDir, RESTORED }: Config, stop: AbortSignal): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres')) || !(RESTORED || isCopy(dataDir))) return
  const port = await getPort({ host: '127.0.0.1' })
  const apart = await startEmbedded({ dataDir, restores: true, postgres: { port } }, say, stop)
  const orm = openDatabase({ url: apart.databaseUrl ?? '', timeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    await migrate(orm)
    await markRestored(orm.em)
  } finally {
    await orm.close(true)
    await apart.stop()
  }
}

/**
 * Checks the sender before the first start, which takes minutes and would end with the same error: no sender can have been
 * configured yet.
 */
function assertSenderKnown(config: Config): void {
  const { SMTP_URL, MAIL_CAPTURE, MAIL_FROM, DATABASE_URL, dataDir } = config
  const delivers = mailModeOf({ smtp: SMTP_URL !== undefined, capture: MAIL_CAPTURE }) === 'smtp'
  const isFirst = DATABASE_URL === undefined && !existsSync(join(dataDir, 'postgres'))
  if (delivers && isFirst && MAIL_FROM === undefined) throw new Error(NO_SENDER)
}

/** The addresses on which this process and its embedded servers listen. */
function placesOf(config: Config): PortSetting[] {
  const { METRICS_PORT, BOUNCE_PORT, SMTP_SUBMISSION_PORT } = config
  const ours = (variable: 'POSTGRES_PORT' | 'TEMPORAL_PORT' | 'TEMPORAL_UI_PORT'): PortSetting => ({
    variable,
    port: config[variable],
    host: '127.0.0.1',
  })
  return [
    { variable: 'PORT', port: config.PORT, host: config.HOST },
    ...(METRICS_PORT === undefined
      ? []
      : [{ variable: 'METRICS_PORT', port: METRICS_PORT, host: config.METRICS_HOST }]),
    ...(BOUNCE_PORT === undefined ? [] : [{ variable: 'BOUNCE_PORT', port: BOUNCE_PORT, host: config.BOUNCE_HOST }]),
    ...(SMTP_SUBMISSION_PORT === undefined
      ? []
      : [{ variable: 'SMTP_SUBMISSION_PORT', port: SMTP_SUBMISSION_PORT, host: config.SMTP_SUBMISSION_HOST }]),
    ...(config.DATABASE_URL ? [] : [ours('POSTGRES_PORT')]),
    ...(config.TEMPORAL_ADDRESS ? [] : [ours('TEMPORAL_PORT'), ours('TEMPORAL_UI_PORT')]),
  ]
}

async function prepareDatabase({ DATABASE_URL }: ConnectedConfig): Promise<void> {
  const orm = openDatabase({ url: DATABASE_URL, timeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    const done = await migrate(orm)
    if (done.length === migrationNames.length) say('Postgres: created the tables')
    else if (done.length > 0) say(`Postgres: migrated (${done.join(', ')})`)
  } finally {
    await orm.close(true)
  }
}
