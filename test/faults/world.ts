import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { copyTemporal } from '../../embedded/backup/save.ts'
import { startEmbedded } from '../../embedded/client.ts'
import { temporalFile } from '../../embedded/temporal.ts'
import { resolveGoTool } from '../../embedded/tools/go-tools.ts'
import { balance } from '../../scripts/cluster/balancer.ts'
import { temporalServer } from '../../scripts/cluster/temporal-server.ts'
import { resolveTemporalCli } from '../../embedded/tools/temporal-cli.ts'
import { migrate, type Orm } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts, freePortsInARow } from '../support/ports.ts'
import { Controller } from './controller.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { Random } from './random.ts'
import type { MailMode, RecorderEntry } from './smtp-recorder.ts'
import { startToxiproxy, type Toxiproxy } from './toxiproxy.ts'
import { WorkflowBundles } from './workflow-bundle.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const TASK_QUEUE = 'faults'
/** Share of the messages for which the SMTP server closes the connection instead of responding. */
const CUTS = 0.03
/** Response time of a slow mail server for a message, in milliseconds. */
export const SLOW_MAIL_MS = 6_000
/** Longer than every lease and timeout, in milliseconds: a process that is stopped for this long counts as dead. */
export const PAST_EVERY_TIMEOUT_MS = 35_000

/** Milliseconds from the first output of a worker to its first poll. */
const STARTED_MS = 3_000

/** The kinds of processes that can be killed. */
export const KINDS = ['api', 'worker', 'postgres', 'temporal', 'smtp'] as const
export type Kind = (typeof KINDS)[number]
/** The services with a proxy before them. */
export type Behind = 'postgres' | 'temporal' | 'smtp'

export interface World {
  apis: string[]
  /** A connection without faults. */
  orm: Orm
  temporalAddress: string
  databaseUrl: string
  /** The superuser's URL of the same database. */
  superuserUrl: string
  /** Runs the command-line interface, as an operator does. */
  cli(...args: string[]): Promise<string>
  /** Copies Temporal's data into a file while Temporal runs. Not in a cluster, where the data is in Postgres. */
  saveTemporal(file: string): Promise<void>
  /** Kills Temporal (-9) and restarts it with the data of a file. */
  restoreTemporal(file: string): Promise<void>
  proxies: Toxiproxy
  controller: Controller
  /** Waits until all processes are up. */
  ready(): Promise<void>
  /** Waits, with a timeout, until a process has been up for a moment. */
  isBack(name: string): Promise<void>
  /** Kills (-9) one process of the kind. It is started again. */
  kill(kind: Kind): void
  /** Sends a signal to a process by its name (`worker-1`), or to all of a kind. */
  signal(name: string, signal: NodeJS.Signals): void
  /** Stops a process and continues it after a while: to others it seems dead, but is not. */
  freeze(pid: number | undefined, milliseconds: number): Promise<void>
  /** The process ID of one process of a kind. */
  pidOf(kind: 'api' | 'worker'): number | undefined
  /** Stops all of Postgres's processes for a while. */
  freezePostgres(milliseconds: number): Promise<void>
  /** Changes how the SMTP server behaves, from now on. */
  setMail(change: Partial<MailMode>): void
  /** Makes the SMTP server slow for a while. */
  slowMail(milliseconds: number): Promise<void>
  /** Makes Postgres reject every write of the product for a while, as in a fail-over. */
  readOnly(milliseconds: number): Promise<void>
  /** Ends every session of the product with Postgres. */
  endSessions(): Promise<void>
  /** Locks tables that every statement needs for a while, so that the pools fill with waiting sessions. */
  fillPools(milliseconds: number): Promise<void>
  /** Closes every connection to a service, and accepts no new ones for a while. */
  away(part: Behind, milliseconds: number): Promise<void>
  accepted(): RecorderEntry[]
  /** @param keep keeps the folder with all logs, and returns its path. */
  stop(keep: boolean): Promise<string>
}

/**
 * Starts the processes of production with proxies between them. As a cluster, Temporal is its server on Postgres instead of the
 * development server, and the APIs are behind a load balancer.
 */
export async function startWorld(
  random: Random,
  {
    mutant,
    cluster,
    cuts = CUTS,
    bundles = new WorkflowBundles(),
  }: { mutant: string | undefined; cluster: boolean; cuts?: number; bundles?: WorkflowBundles },
  say: (line: string) => void,
): Promise<World> {
  const toxiproxyPath = await resolveGoTool('toxiproxy-server', process.env, say)
  const ports = (await freePorts(9)) as [number, ...number[]]
  const [postgres, smtp, toxiproxyPort, postgresProxy, temporalProxy, smtpProxy, balancer, ...apiPorts] = ports
  const temporal = await freePortsInARow(8)
  const dataDir = mkdtempSync(join(tmpdir(), 'dripline-faults-'))
  const embedded = await startEmbedded(
    {
      dataDir,
      postgres: { port: postgres },
      ...(cluster
        ? { temporalServer: await temporalServer(temporal, 24, undefined, say) }
        : { temporal: { cliPath: await resolveTemporalCli(process.env, say), port: temporal, uiPort: temporal + 1 } }),
    },
    say,
  )
  const orm = openDatabase({
    url: embedded.databaseUrl!,
    poolSize: 5,
    timeoutMs: 60_000,
    applicationName: 'classifyBounce',
  })
  await migrate(orm)
  const proxies = await startToxiproxy(toxiproxyPath, toxiproxyPort!, {
    postgres: { listen: postgresProxy!, upstream: postgres },
    temporal: { listen: temporalProxy!, upstream: temporal },
    smtp: { listen: smtpProxy!, upstream: smtp! },
  })

  const bundle = await bundles.of(mutant)
  const controller = new Controller(join(dataDir, 'points.sock'))
  const record = join(dataDir, 'smtp.jsonl')
  const mailModeFile = join(dataDir, 'mail-mode.json')
  let mailMode: MailMode = { cuts, takesMs: null }
  const setMail = (change: Partial<MailMode>) => {
    mailMode = { ...mailMode, ...change }
    writeFileSync(`${mailModeFile}.new`, JSON.stringify(mailMode))
    renameSync(`${mailModeFile}.new`, mailModeFile)
  }
  setMail({})
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: embedded.databaseUrl!.replace(`:${postgres}/`, `:${postgresProxy}/`),
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalProxy}`,
    TEMPORAL_TASK_QUEUE: TASK_QUEUE,
    SMTP_URL: `smtp://127.0.0.1:${smtpProxy}`,
    MAIL_FROM: 'Faults <faults@example.com>',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    SECRETS_KEY: 'k'.repeat(44),
    WORKER_SHUTDOWN_SECONDS: '15',
    WORKFLOW_BUNDLE: bundle,
    FAULT_CONTROLLER: join(dataDir, 'points.sock'),
    ...(mutant === undefined ? {} : { FAULT_MUTANT: mutant }),
  }

  let stopping = false
  const children = new Map<string, ChildProcess>()
  // However this process ends, none of its children remains.
  const killAll = () => {
    for (const child of children.values()) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  /** Keeps a process alive: starts it again after a pause whenever it ends. */
  function supervise(name: string, command: string, args: () => string[], more: NodeJS.ProcessEnv = {}): void {
    const launch = () => {
      if (stopping) return
      const output = openSync(join(dataDir, 'logs', `${name}.log`), 'a')
      const child = spawn(command, args(), {
        env: { ...env, FAULT_PROCESS: name, ...more },
        stdio: ['ignore', output, output],
      })
      closeSync(output)
      children.set(name, child)
      child.once('exit', () => setTimeout(launch, random.between(200, 1_500)))
    }
    launch()
  }
  const node = (script: string, ...args: string[]) => [join(ROOT, script), ...args]
  /** Loads the named points into the process. */
  const part = (script: string) => [`--import=${join(ROOT, 'test/faults/hooks.ts')}`, join(ROOT, script)]
  supervise('smtp-1', process.execPath, () => node('test/faults/smtp-recorder.ts', String(smtp), record, mailModeFile))
  apiPorts.forEach((port, n) => {
    supervise(`api-${n + 1}`, process.execPath, () => part('src/bin/api.ts'), { PORT: String(port) })
  })
  for (const n of [1, 2]) supervise(`worker-${n}`, process.execPath, () => part('src/bin/worker.ts'))
  const direct = apiPorts.map((port) => `http://127.0.0.1:${port}`)
  if (cluster) {
    const caddy = await resolveGoTool('caddy', process.env, say)
    supervise('balancer-1', caddy, () => balance(dataDir, `http://127.0.0.1:${balancer}`, apiPorts))
  }
  const apis = cluster ? [`http://127.0.0.1:${balancer}`] : direct
  const superuserUrl = new URL(embedded.superuserUrl!)
  superuserUrl.pathname = new URL(embedded.databaseUrl!).pathname
  const ready = async () => {
    const isUp = (api: string) =>
      fetch(`${api}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
        (answer) => answer.ok,
        () => false,
      )
    await eventually(
      'all processes are up',
      async () => {
        if (!(await Promise.all([...direct, ...apis].map(isUp))).every(Boolean)) return undefined
        const up = ['worker-1', 'worker-2'].map((name) => controller.processes.get(name) ?? Infinity)
        return up.every((at) => at < Date.now() - STARTED_MS) || undefined
      },
      90_000,
    )
  }
  await ready()

  const oneOf = (kind: string): ChildProcess | undefined =>
    children.get(random.pick([...children.keys()].filter((name) => name.startsWith(`${kind}-`))))
  const pidIn = (file: string): number | undefined => {
    const path = join(dataDir, file)
    return existsSync(path) ? parseInt(readFileSync(path, 'utf8'), 10) : undefined
  }
  const signal = (pid: number | undefined, name: NodeJS.Signals) => {
    try {
      if (pid !== undefined && pid > 0) process.kill(pid, name)
    } catch {
      // It had ended already.
    }
  }
  const ignore = () => undefined
  const endSessions = () =>
    sql(
      orm.em.fork(),
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'dripline'`,
    ).then(ignore, ignore)
  /** Applies to new sessions, perhaps including this one. */
  const setReadOnly = (on: boolean) =>
    orm.em.fork().transactional(async (em) => {
      await sql(em, 'set transaction read write')
      await sql(em, `alter database dripline set default_transaction_read_only = ${on ? 'on' : 'off'}`)
    })
  const tables = 'contacts, enrollments, messages, outbox, idempotency_keys'
  const lock = async (milliseconds: number) => {
    await orm.em.fork().transactional(async (em) => {
      // In a deadlock with statements that lock in another order, the others give up: this one waits longer.
      await sql(em, `set local lock_timeout = '2s'`)
      await sql(em, 'set local statement_timeout = 0')
      await sql(em, `lock table ${tables} in access exclusive mode`)
      await delay(milliseconds)
    })
  }
  const freeze = async (pids: (number | undefined)[], milliseconds: number) => {
    for (const pid of pids) signal(pid, 'SIGSTOP')
    await delay(milliseconds)
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
  // Faults that affect all processes: of two at once, the first to end would undo the other.
  const exclusive = { mail: oneAtATime(), readOnly: oneAtATime(), lock: oneAtATime() }
  const exclusiveAway = { postgres: oneAtATime(), temporal: oneAtATime(), smtp: oneAtATime() }
  return {
    apis,
    orm,
    temporalAddress: embedded.temporalAddress!,
    databaseUrl: embedded.databaseUrl!,
    superuserUrl: superuserUrl.href,
    async cli(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [...part('src/bin/cli.ts'), ...args], { env })
      return stdout
    },
    saveTemporal: (file) => copyTemporal(temporalFile(dataDir), file),
    async restoreTemporal(file) {
      const server = pidIn('temporal.pid')
      const keeper = parentOf(server)
      // Keeps its supervisor from starting it again in the meantime.
      signal(keeper, 'SIGSTOP')
      signal(server, 'SIGKILL')
      await eventually('Temporal is dead', () => Promise.resolve(isDead(server) || undefined))
      for (const rest of ['-wal', '-shm']) rmSync(`${temporalFile(dataDir)}${rest}`, { force: true })
      copyFileSync(file, temporalFile(dataDir))
      signal(keeper, 'SIGCONT')
    },
    proxies,
    controller,
    ready,
    async isBack(name) {
      const isUp = () => (controller.processes.get(name) ?? Infinity) < Date.now() - STARTED_MS
      for (const deadline = Date.now() + 20_000; !isUp() && Date.now() < deadline;) await delay(100)
    },
    kill(kind) {
      if (kind === 'postgres') signal(pidIn('postgres/postmaster.pid'), 'SIGKILL')
      else if (kind === 'temporal') signal(pidIn('temporal.pid'), 'SIGKILL')
      else signal(oneOf(kind)?.pid, 'SIGKILL')
    },
    signal(name, how) {
      for (const [each, { pid }] of children) if (each === name || each.startsWith(`${name}-`)) signal(pid, how)
    },
    freeze: (pid, milliseconds) => freeze([pid], milliseconds),
    pidOf: (kind) => oneOf(kind)?.pid,
    freezePostgres(milliseconds) {
      const postmaster = pidIn('postgres/postmaster.pid')
      return freeze([postmaster, ...childrenOf(postmaster)], milliseconds)
    },
    setMail,
    slowMail: (milliseconds) =>
      exclusive.mail(async () => {
        setMail({ takesMs: SLOW_MAIL_MS })
        await delay(milliseconds)
        setMail({ takesMs: null })
      }),
    readOnly: (milliseconds) =>
      exclusive.readOnly(async () => {
        await persist(() => setReadOnly(true))
        await endSessions()
        await delay(milliseconds)
        await persist(() => setReadOnly(false))
        await endSessions()
      }),
    endSessions,
    fillPools: (milliseconds) => exclusive.lock(() => lock(milliseconds).catch(ignore)),
    away: (behind, milliseconds) =>
      exclusiveAway[behind](async () => {
        await proxies.setEnabled(behind, false)
        await delay(milliseconds)
        await proxies.setEnabled(behind, true)
      }),
    accepted: () =>
      existsSync(record)
        ? readFileSync(record, 'utf8')
            .split('\n')
            .filter((line) => line.endsWith('}'))
            .map((line) => JSON.parse(line) as RecorderEntry)
        : [],
    async stop(keep) {
      stopping = true
      killAll()
      process.off('exit', killAll)
      controller.close()
      proxies.stop()
      await orm.close(true)
      await embedded.stop()
      if (!keep) rmSync(dataDir, { recursive: true, force: true })
      return dataDir
    },
  }
}

/** Returns the child processes of a process. */
function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return []
  const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return list.split('\n').filter(Boolean).map(Number)
}

const parentOf = (pid: number | undefined): number | undefined =>
  pid && Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }))

/** Returns whether a process is dead, even if its stopped parent has not noticed. */
const isDead = (pid: number | undefined): boolean =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')

/** Repeats an operation until it succeeds, even if Postgres has just been killed. */
async function persist(run: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await delay(200)) {
    try {
      await run()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
