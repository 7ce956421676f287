import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { startEmbedded, type Embedded } from '../../embedded/client.ts'
import { temporalServer } from '../../scripts/cluster/temporal-server.ts'
import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attribute-keys.ts'
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts'
import { closedAtSignal } from './at-signal.ts'
import { eventually } from './eventually.ts'
import { freePorts, freePortsInARow } from './ports.ts'

export interface Services {
  databaseUrl: string
  /** For making databases. */
  superuserUrl: string
  temporalAddress: string
}

interface Running {
  embedded: Embedded
  /** Stops it, and removes its folder. */
  stop: () => Promise<void>
}

let started: Promise<Running> | undefined

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
  const running = await startInFolder({ postgres: { port: postgresPort }, temporalServer: server })
  await registerSearchAttributes(running.embedded.temporalAddress!)
  return running
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
  return { address: second.embedded.temporalAddress!, stop: second.stop }
}

async function startIn(parts: { postgres?: { port: number } }) {
  const cliPath = await resolveTemporalCli(process.env, () => undefined)
  const [port, uiPort] = (await freePorts(2)) as [number, number]
  return startInFolder({ ...parts, temporal: { cliPath, port, uiPort } })
}

/** Starts in a folder that is gone afterwards. */
async function startInFolder(parts: Omit<Parameters<typeof startEmbedded>[0], 'dataDir'>): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-test-'))
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
