import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { startEmbedded, type Embedded } from '../../scripts/embedded/client.ts'
import { temporalServer } from '../../scripts/cluster/temporal-server.ts'
import { resolveTemporalCli } from '../../scripts/temporal-cli.ts'
import { SEARCH_ATTRIBUTES } from '../../src/domain/search-attributes.ts'
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts'
import { eventually } from './eventually.ts'
import { freePorts, freePortsInARow } from './ports.ts'

export interface Services {
  databaseUrl: string
  /** For making databases. */
  superuserUrl: string
  temporalAddress: string
}

let started: Promise<{ dataDir: string; embedded: Embedded }> | undefined

const say = (line: string) => process.stderr.write(`${line}\n`)

/** A real Postgres and a real Temporal server, one of each for the whole run, started as `npm start` starts them. */
export async function services(): Promise<Services> {
  const { embedded } = await (started ??= start())
  return {
    databaseUrl: embedded.databaseUrl!,
    superuserUrl: embedded.superuserUrl!,
    temporalAddress: embedded.temporalAddress!,
  }
}

/** Has Temporal be its server on Postgres, as in a cluster, instead of the development server. Before anything is started. */
export const startCluster = (): Promise<unknown> => (started ??= startOnPostgres())

async function start() {
  const [postgresPort] = (await freePorts(1)) as [number]
  return startIn({ postgres: { port: postgresPort } })
}

async function startOnPostgres() {
  const [postgresPort] = (await freePorts(1)) as [number]
  const server = await temporalServer(await freePortsInARow(8), 24, undefined, say)
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-test-'))
  const embedded = await startEmbedded({ dataDir, postgres: { port: postgresPort }, temporalServer: server }, say)
  await registerSearchAttributes(embedded.temporalAddress!)
  return { dataDir, embedded }
}

/** A worker would do it; and the server needs some seconds until all of it knows. */
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

/** A Temporal server beside the shared one, for what must not share it. */
export async function startSecondTemporal(): Promise<{ address: string; stop(): Promise<void> }> {
  const second = await startIn({})
  return { address: second.embedded.temporalAddress!, stop: () => stopAndRemove(second) }
}

async function startIn(parts: { postgres?: { port: number } }) {
  const cliPath = await resolveTemporalCli(process.env, () => undefined)
  const [port, uiPort] = (await freePorts(2)) as [number, number]
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-test-'))
  const embedded = await startEmbedded({ dataDir, ...parts, temporal: { cliPath, port, uiPort } }, say)
  return { dataDir, embedded }
}

export async function stopServices(): Promise<void> {
  if (started) await stopAndRemove(await started)
}

async function stopAndRemove({ dataDir, embedded }: Awaited<ReturnType<typeof start>>): Promise<void> {
  await embedded.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
