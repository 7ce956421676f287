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
/** Of the messages, the part whose connection the SMTP server cuts instead of answering. */
const CUTS = 0.03
/** What a slow mail server takes for a message, in milliseconds. */
export const SLOW_MAIL_MS = 6_000
/** Longer than every lease and timeout there is, in milliseconds: whoever is stopped for so long was taken for dead. */
export const PAST_EVERY_TIMEOUT_MS = 35_000

/** How long after its first word a worker polls, in milliseconds. */
const STARTED_MS = 3_000

/** What can be killed. */
export const KINDS = ['api', 'worker', 'postgres', 'temporal', 'smtp'] as const
export type Kind = (typeof KINDS)[number]
/** What there is a proxy before. */
export type Behind = 'postgres' | 'temporal' | 'smtp'

export interface World {
  apis: string[]
  /** A connection that no fault is between. */
  orm: Orm
  temporalAddress: string
  databaseUrl: string
  /** Of the same database. */
  superuserUrl: string
  /** The command line, as an operator has it beside the parts. */
  cli(...args: string[]): Promise<string>
  /** Copies what Temporal has into a file, while it works: not in a cluster, where it is in Postgres. */
  saveTemporal(file: string): Promise<void>
  /** kill -9 of Temporal, which comes back with what is in a file. */
  restoreTemporal(file: string): Promise<void>
  proxies: Toxiproxy
  controller: Controller
  /** Waits until every part is up. */
  ready(): Promise<void>
  /** Waits until a process has been up for a moment, and not for ever. */
  isBack(name: string): Promise<void>
  /** kill -9 of one process of the kind. Somebody starts it again. */
  kill(kind: Kind): void
  /** Sends a signal to a process by its name (`worker-1`), or to all of a kind. */
  signal(name: string, signal: NodeJS.Signals): void
  /** Stops a process and lets it go on after a while: what sees it thinks that it is dead, and it is not. */
  freeze(pid: number | undefined, milliseconds: number): Promise<void>
  /** The number of one process of a kind. */
  pidOf(kind: 'api' | 'worker'): number | undefined
  /** Stops all of Postgres's processes for a while. */
  freezePostgres(milliseconds: number): Promise<void>
  /** Changes how the SMTP server behaves, from now on. */
  setMail(change: Partial<MailMode>): void
  /** Makes the SMTP server slow for a while. */
  slowMail(milliseconds: number): Promise<void>
  /** Makes Postgres refuse every write of the parts, for a while, as in a fail-over. */
  readOnly(milliseconds: number): Promise<void>
  /** Ends every session that the parts have with Postgres. */
  endSessions(): Promise<void>
  /** Locks what every statement needs, for a while: pools fill with sessions that wait. */
  fillPools(milliseconds: number): Promise<void>
  /** Cuts every connection to a part, and lets nobody in for a while. */
  away(part: Behind, milliseconds: number): Promise<void>
  accepted(): RecorderEntry[]
  /** @param keep leaves the folder with all logs where it is, and says where. */
  stop(keep: boolean): Promise<string>
}

/**
 * The parts as they are in production, each a process, with proxies between them. As a cluster, Temporal is its server on
 * Postgres instead of the development server, and the APIs are behind a balancer.
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
  const [postgres, smtp, toxi, postgresProxy, temporalProxy, smtpProxy, balancer, ...apiPorts] = ports
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
  const proxies = await startToxiproxy(toxiproxyPath, toxi!, {
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
    WORKER_SHUTDOWN_SECONDS: '15',
    WORKFLOW_BUNDLE: bundle,
    FAULT_CONTROLLER: join(dataDir, 'points.sock'),
    ...(mutant === undefined ? {} : { FAULT_MUTANT: mutant }),
  }

  let stopping = false
  const children = new Map<string, ChildProcess>()
  // However this process ends, none of its parts stays.
  const killAll = () => {
    for (const child of children.values()) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  /** Keeps a process alive: whatever ends it, it is started again after a pause. */
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
  /** With the named points in it. */
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
      'the parts are up',
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
      // It was gone already.
    }
  }
  const ignore = () => undefined
  const endSessions = () =>
    sql(
      orm.em.fork(),
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'dripline'`,
    ).then(ignore, ignore)
  /** Of new sessions: so is this one, perhaps. */
  const setReadOnly = (on: boolean) =>
    orm.em.fork().transactional(async (em) => {
      await sql(em, 'set transaction read write')
      await sql(em, `alter database dripline set default_transaction_read_only = ${on ? 'on' : 'off'}`)
    })
  const tables = 'contacts, enrollments, messages, outbox, idempotency_keys'
  const lock = async (milliseconds: number) => {
    await orm.em.fork().transactional(async (em) => {
      // Where somebody else waits in another order, one of them gives up: that is not us, who wait in none.
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
  // What is done to all: two of a kind at once would be undone by the first that ends.
  const inTurn = { mail: oneAtATime(), readOnly: oneAtATime(), lock: oneAtATime() }
  const inTurnAway = { postgres: oneAtATime(), temporal: oneAtATime(), smtp: oneAtATime() }
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
      // Meanwhile nobody starts it again.
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
      inTurn.mail(async () => {
        setMail({ takesMs: SLOW_MAIL_MS })
        await delay(milliseconds)
        setMail({ takesMs: null })
      }),
    readOnly: (milliseconds) =>
      inTurn.readOnly(async () => {
        await persist(() => setReadOnly(true))
        await endSessions()
        await delay(milliseconds)
        await persist(() => setReadOnly(false))
        await endSessions()
      }),
    endSessions,
    fillPools: (milliseconds) => inTurn.lock(() => lock(milliseconds).catch(ignore)),
    away: (behind, milliseconds) =>
      inTurnAway[behind](async () => {
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

/** The processes that a process has started. */
function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return []
  const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return list.split('\n').filter(Boolean).map(Number)
}

const parentOf = (pid: number | undefined): number | undefined =>
  pid && Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }))

/** Also one whose parent has not heard of it, because it is stopped. */
const isDead = (pid: number | undefined): boolean =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')

/** Does what has to be done, also where Postgres has just been killed. */
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
