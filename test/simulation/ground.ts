import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbedded } from '../../embedded/client.ts'
import { migrate } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { closedAtSignal } from '../support/at-signal.ts'
import { freePorts } from '../support/ports.ts'

/** Postgres for a simulation, with a database for each of its processes. */
export interface GroundPostgres {
  urls: string[]
  close(): Promise<void>
}

/** It need not survive a power cut: what is killed here is a client. */
const FAST = ['fsync', 'synchronous_commit', 'full_page_writes']

/** Starts it in a folder that is gone afterwards. */
export async function makeGround(databases: number): Promise<GroundPostgres> {
  const [port] = (await freePorts(1)) as [number]
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-simulation-'))
  const starting = startEmbedded({ dataDir, postgres: { port } }, () => undefined)
  const close = closedAtSignal(async () => {
    await (await starting.catch(() => undefined))?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  try {
    const embedded = await starting
    const superuser = new Client({ connectionString: embedded.superuserUrl! })
    await superuser.connect()
    for (const name of FAST) await superuser.query(`alter system set ${name} = off`)
    await superuser.query('select pg_reload_conf()')
    const first = new URL(embedded.databaseUrl!)
    await migrateAt(first.href)
    const template = first.pathname.slice(1)
    const urls = [first.href]
    for (let n = 1; n < databases; n += 1) {
      await superuser.query(`create database simulation_${n} template ${template} owner ${first.username}`)
      urls.push(Object.assign(new URL(first), { pathname: `/simulation_${n}` }).href)
    }
    await superuser.end()
    return { urls, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function migrateAt(url: string): Promise<void> {
  const orm = openDatabase({ url, timeoutMs: 60_000 })
  await migrate(orm)
  await orm.close(true)
}
