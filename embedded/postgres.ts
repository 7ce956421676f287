import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from './tools/run.ts'
import { assertPortFree } from './ports.ts'
import { clientOf } from './postgres-client.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import { ensureRole, readPassword } from './postgres-roles.ts'
import { choosePostgresUser, type PostgresUser } from './postgres-user.ts'
import { commandHolds, endProcess, isAlive } from './process-table.ts'
import { startProcess, type RunningProcess } from './child-process.ts'
import type { EmbeddedOptions } from './protocol.ts'

const SUPERUSER = 'postgres'
/** The role of Dripline, and the one database that it owns. */
const DRIPLINE = 'dripline'
const START_TIMEOUT_MS = 60_000

export interface RunningPostgres {
  url: string
  /** For creating databases. */
  superuserUrl: string
  stop(): Promise<void>
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // The client gets the error of a statement. The log would contain its values, which are personal data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
}

/** Starts Postgres on a folder, which is created at the first start. */
export async function startPostgres(
  dataDir: string,
  {
    port,
    superuserPasswordFile = join(dataDir, 'postgres-superuser-password'),
    passwordFile = join(dataDir, 'postgres-password'),
  }: NonNullable<EmbeddedOptions['postgres']>,
  onExit: () => void,
  say: (line: string) => void,
  aborted: AbortSignal,
): Promise<RunningPostgres> {
  const databaseDir = join(dataDir, 'postgres')
  const { initdb, postgres } = await postgresBinaries()
  await endLeftOver(databaseDir)
  await assertPortFree('POSTGRES_PORT', port)
  const user = choosePostgresUser(postgres, dataDir, databaseDir)
  const superuserPassword = readPassword(superuserPasswordFile)
  if (!existsSync(databaseDir)) {
    say('Postgres: creating its database folder')
    await makeCluster(dataDir, databaseDir, superuserPassword, initdb, user)
  }
  const server = await startProcess(dataDir, {
    name: 'postgres',
    ...user.command(postgres, [
      ...['-D', databaseDir, '-p', String(port)],
      ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    // SIGINT disconnects clients instead of waiting for them.
    stopSignal: 'SIGINT',
    stopMs: 60_000,
  })
  const urlOf = (role: string, password: string, database: string) =>
    `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  const superuserUrl = urlOf(SUPERUSER, superuserPassword, 'postgres')
  try {
    await waitUntilReady(superuserUrl, server, aborted)
    const password = readPassword(passwordFile)
    await ensureRole(superuserUrl, { name: DRIPLINE, password, databases: [DRIPLINE] })
    void server.ended.then(onExit)
    return { url: urlOf(DRIPLINE, password, DRIPLINE), superuserUrl, stop: () => server.stop() }
  } catch (error) {
    await server.stop()
    aborted.throwIfAborted()
    throw new Error(`Postgres does not start: ${(error as Error).message}. Its log: ${server.log}`, { cause: error })
  }
}

/** Creates the cluster in a temporary folder and moves it when it is complete. Remains of an interrupted start are deleted. */
async function makeCluster(
  dataDir: string,
  databaseDir: string,
  superuserPassword: string,
  initdb: string,
  user: PostgresUser,
): Promise<void> {
  const unfinished = `${databaseDir}.unfinished`
  // initdb reads the password from a file of its own user. This one is readable only by that user, in a closed folder.
  const passwordFile = join(dataDir, 'initdb-password')
  rmSync(unfinished, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  user.own(unfinished)
  try {
    writeFileSync(passwordFile, superuserPassword, { mode: 0o600, flag: 'wx' })
    user.own(passwordFile)
    const { command, args } = user.command(initdb, [
      ...[`--pgdata=${unfinished}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'],
    ])
    await run(command, args, { say: () => undefined })
  } catch (error) {
    throw new Error(`Postgres cannot create its database folder: ${(error as Error).message}`, { cause: error })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(unfinished, databaseDir)
}

/** Waits as long as Postgres reports that it is starting, which takes a while after a crash. */
async function waitUntilReady(url: string, server: RunningProcess, aborted: AbortSignal): Promise<void> {
  for (let deadline = Date.now() + START_TIMEOUT_MS; ; await delay(50)) {
    aborted.throwIfAborted()
    const client = clientOf(url, { connectionTimeoutMillis: 5_000 })
    try {
      await client.connect()
      return
    } catch (error) {
      if (server.hasEnded()) throw new Error('it has ended', { cause: error })
      const { code } = error as { code?: string }
      if (code === CANNOT_CONNECT_NOW) deadline = Date.now() + START_TIMEOUT_MS
      else if (code === INVALID_PASSWORD) throw error
      else if (Date.now() > deadline) throw error
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

const CANNOT_CONNECT_NOW = '57P03'
const INVALID_PASSWORD = '28P01'

/** Stops a server whose host was killed. This process holds the folder's lock, so no other process uses the server. */
async function endLeftOver(databaseDir: string): Promise<void> {
  const pidFile = join(databaseDir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (pid > 0 && isAlive(pid) && commandHolds(pid, databaseDir)) await endProcess(pid, 'SIGINT')
  // Postgres refuses to start if another process has got the number in its PID file.
  rmSync(pidFile, { force: true })
}
