import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbedded } from '../../embedded/client.ts'
import { migrate } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { closedAtSignal } from '../support/at-signal.ts'
import { freePorts } from '../support/ports.ts'

/** Postgres for a simulation, with one database for each of its processes. */
export interface GroundPostgres {
  urls: string[]
  close(): Promise<void>
}

/** Durability is off: only clients are killed, and there are no power cuts. */
const FAST = ['fsync', 'synchronous_commit', 'full_page_writes']

/** Starts Postgres in a temporary folder. */
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
    await putUnderVirtualTime(superuser, first)
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

/**
 * Functions that replace Postgres's own clock and random identifiers. They are found first wherever a statement, a function or a
 * default names one of them. Virtual time is in a sequence, because a sequence is the same for every transaction.
 */
const VIRTUAL_FUNCTIONS = `
create schema simulation;
create sequence simulation.clock minvalue 0;
create sequence simulation.ids;
create function simulation.clock_timestamp() returns timestamptz language sql volatile
  as $$ select pg_catalog.to_timestamp(last_value / 1000.0) from simulation.clock $$;
create function simulation.now() returns timestamptz language sql stable
  as $$ select pg_catalog.to_timestamp(coalesce(
    nullif(pg_catalog.current_setting('simulation.began', true), '')::bigint, (select last_value from simulation.clock)
  ) / 1000.0) $$;
create function simulation.gen_random_uuid() returns uuid language sql volatile
  as $$ select ('00000000-0000-4000-8000-' || pg_catalog.lpad(pg_catalog.to_hex(nextval('simulation.ids')), 12, '0'))::uuid $$;
create function simulation.random() returns float8 language sql volatile as $$ select 0.5::float8 $$`

async function putUnderVirtualTime(superuser: Client, url: URL): Promise<void> {
  const owner = new Client({ connectionString: url.href })
  await owner.connect()
  await owner.query(VIRTUAL_FUNCTIONS)
  await owner.end()
  await superuser.query(
    `alter role ${superuser.escapeIdentifier(url.username)} set search_path = public, simulation, pg_catalog`,
  )
}

async function migrateAt(url: string): Promise<void> {
  const orm = openDatabase({ url, timeoutMs: 60_000 })
  await migrate(orm)
  await orm.close(true)
}
