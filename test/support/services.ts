import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded, type Embedded } from '../../scripts/embedded/client.ts'
import { resolveTemporalCli } from '../../scripts/temporal-cli.ts'
import { freePorts } from './ports.ts'

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

async function start() {
  const [postgresPort] = (await freePorts(1)) as [number]
  return startIn({ postgres: { port: postgresPort } })
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
