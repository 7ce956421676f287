import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as PostgresClient } from 'pg'
import { Client, Connection } from '@temporalio/client'
import { startEmbedded, type Embedded } from '../../embedded/client.ts'
import { temporalServer } from '../../scripts/cluster/temporal-server.ts'
import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { migrate } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attribute-keys.ts'
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts'
import { closedAtSignal } from './at-signal.ts'
import { eventually } from './eventually.ts'
import { askMainProcess } from './main-process.ts'
import { freePorts, freePortsInARow } from './ports.ts'
import { copyPreparedPostgres } from './prepared-postgres.ts'

export interface Services {
  databaseUrl: string
  /** Superuser's URL, for creating databases. */
  superuserUrl: string
  temporalAddress: string
  /** A migrated database without connections. */
  template: string
}

interface Running {
  embedded: Embedded
  /** Stops it and removes its folder. */
  stop: () => Promise<void>
}

const TEMPLATE = 'test_template'

let found: Promise<Services> | undefined
let started: Promise<Running> | undefined

const say = (line: string) => process.stderr.write(`${line}\n`)

/**
 * Returns the addresses of one Postgres and one Temporal server, which all processes of the run share. They are started as
 * `npm start` starts them, by the first test that needs them. Test processes ask Mocha's main process for them; a script
 * without Mocha starts its own.
 */
export const services = (): Promise<Services> => (found ??= findServices())

async function findServices(): Promise<Services> {
  return (await askMainProcess<Services>('/services')) ?? startServices()
}

/** Starts the servers in this process, unless it has them. */
export async function startServices(): Promise<Services> {
  const { embedded } = await (started ??= start())
  return {
    databaseUrl: embedded.databaseUrl!,
    superuserUrl: embedded.superuserUrl!,
    temporalAddress: embedded.temporalAddress!,
    template: TEMPLATE,
  }
}

/** Uses Temporal's server on Postgres, as in a cluster, instead of the development server. Call it before any other function. */
export const startCluster = (): Promise<unknown> => (started ??= startOnPostgres())

async function start() {
  const [postgresPort] = (await freePorts(1)) as [number]
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-test-'))
  await copyPreparedPostgres(dataDir, async (folder) => {
    const running = startEmbedded({ dataDir: folder, postgres: { port: postgresPort } }, say)
    try {
      await preparePostgres(await running)
    } finally {
      await (await running).stop()
    }
  })
  return startIn({ postgres: { port: postgresPort } }, dataDir)
}

/** Creates the template. No test outlives a crash of the machine, so Postgres need not wait for the disk. */
async function preparePostgres({ databaseUrl, superuserUrl }: Embedded): Promise<void> {
  const client = new PostgresClient({ connectionString: superuserUrl! })
  await client.connect()
  try {
    for (const setting of ['fsync', 'full_page_writes']) await client.query(`alter system set ${setting} = off`)
    await client.query('select pg_reload_conf()')
    await client.query(`create database ${TEMPLATE} owner ${new URL(databaseUrl!).username}`)
  } finally {
    await client.end()
  }
  const orm = openDatabase({ url: databaseUrl!.replace(/\/[^/]*$/, `/${TEMPLATE}`), timeoutMs: 60_000 })
  await migrate(orm)
  await orm.close(true)
}

async function startOnPostgres() {
  const [postgresPort] = (await freePorts(1)) as [number]
  const server = await temporalServer(await freePortsInARow(8), 24, undefined, say)
  const running = await startInFolder({ postgres: { port: postgresPort }, temporalServer: server })
  await preparePostgres(running.embedded)
  await registerSearchAttributes(running.embedded.temporalAddress!)
  return running
}

/** Registers the search attributes, as a worker would. Temporal needs a few seconds until all of its services know them. */
async function registerSearchAttributes(address: string): Promise<void> {
  const connection = Connection.lazy({ address })
  const client = new Client({ connection })
  const { workspace } = SEARCH_ATTRIBUTES
  try {
    await ensureSearchAttributes(client, 'default')
    const probe = { taskQueue: 'probe', workflowId: 'probe', typedSearchAttributes: [{ key: workspace, value: 'x' }] }
    const handle = await eventually('starts with search attributes', () =>
      client.workflow.start('probe', probe).catch(() => undefined),
    )
    await handle.terminate()
  } finally {
    await connection.close()
  }
}

/** Starts a Temporal server in addition to the shared one, for tests that must not share it. */
export async function startSecondTemporal(): Promise<{ address: string; stop(): Promise<void> }> {
  const second = await startIn({})
  return { address: second.embedded.temporalAddress!, stop: second.stop }
}

async function startIn(parts: { postgres?: { port: number } }, dataDir?: string) {
  const cliPath = await resolveTemporalCli(process.env, () => undefined)
  const [port, uiPort] = (await freePorts(2)) as [number, number]
  return startInFolder({ ...parts, temporal: { cliPath, port, uiPort } }, dataDir)
}

/** Starts the servers in a temporary folder, which is removed at the end. */
async function startInFolder(
  parts: Omit<Parameters<typeof startEmbedded>[0], 'dataDir'>,
  dataDir = mkdtempSync(join(tmpdir(), 'dripline-test-')),
): Promise<Running> {
  const starting = startEmbedded({ dataDir, ...parts }, say)
  const stop = closedAtSignal(async () => {
    await (await starting.catch(() => undefined))?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  try {
    return { embedded: await starting, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function stopServices(): Promise<void> {
  if (started) await (await started).stop()
}
