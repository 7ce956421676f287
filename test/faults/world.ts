import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '../../scripts/embedded/client.ts'
import { resolveGoTool } from '../../scripts/go-tools.ts'
import { balance } from '../../scripts/cluster/balancer.ts'
import { temporalServer } from '../../scripts/cluster/temporal-server.ts'
import { resolveTemporalCli } from '../../scripts/temporal-cli.ts'
import { migrate, openOrm, type Orm } from '../../src/db/orm.ts'
import { sql } from '../../src/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts, freePortsInARow } from '../support/ports.ts'
import type { Random } from './random.ts'
import type { RecorderEntry } from './smtp-recorder.ts'
import { startToxiproxy, type Toxiproxy } from './toxiproxy.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const TASK_QUEUE = 'faults'
/** Of the messages, the part whose connection the SMTP server cuts instead of answering. */
const CUTS = 0.03

/** What can be killed. */
export const KINDS = ['api', 'worker', 'postgres', 'temporal', 'smtp'] as const
export type Kind = (typeof KINDS)[number]

export interface World {
  apis: string[]
  /** A connection that no fault is between. */
  orm: Orm
  temporalAddress: string
  proxies: Toxiproxy
  /** kill -9 of one process of the kind. Somebody starts it again. */
  kill(kind: Kind): void
  /**
   * kill -9 of all workers in an instant in which the SMTP server has taken a message and has not said so yet, if there is
   * one within some seconds.
   */
  killWorkersInTheAct(): Promise<void>
  /** Stops a process and lets it go on after a while: what sees it thinks that it is dead, and it is not. */
  freeze(kind: 'api' | 'worker', milliseconds: number): Promise<void>
  /** SIGTERM: the process finishes what it has begun. Somebody starts it again. */
  stopPolitely(kind: 'api' | 'worker'): void
  /** Makes the SMTP server take six seconds for each message, for a while. */
  slowMail(milliseconds: number): Promise<void>
  /** Makes Postgres refuse every write of the parts, for a while, as in a fail-over. */
  readOnly(milliseconds: number): Promise<void>
  /** Ends every session that the parts have with Postgres. */
  endSessions(): Promise<void>
  /** Ends the SMTP server's cuts. */
  endCuts(): void
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
  { mutant, cluster }: { mutant: string | undefined; cluster: boolean },
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
  const orm = openOrm({ url: embedded.databaseUrl!, poolSize: 5, timeoutMs: 60_000, applicationName: 'judge' })
  await migrate(orm)
  const proxies = await startToxiproxy(toxiproxyPath, toxi!, {
    postgres: { listen: postgresProxy!, upstream: postgres },
    temporal: { listen: temporalProxy!, upstream: temporal },
    smtp: { listen: smtpProxy!, upstream: smtp! },
  })

  const bundle = join(dataDir, 'workflows.js')
  await ended(spawn(process.execPath, [join(ROOT, 'scripts/bundle-workflows.ts'), bundle], { stdio: 'ignore' }))
  const record = join(dataDir, 'smtp.jsonl')
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
    ...(mutant === undefined
      ? {}
      : { FAULT_MUTANT: mutant, NODE_OPTIONS: `--import=${join(ROOT, 'test/faults/mutate.ts')}` }),
  }

  let stopping = false
  let cuts = CUTS
  const children = new Map<string, ChildProcess>()
  /** Keeps a process alive: whatever ends it, it is started again after a pause. */
  function supervise(name: string, command: string, args: () => string[], more: NodeJS.ProcessEnv = {}): void {
    const launch = () => {
      if (stopping) return
      const output = openSync(join(dataDir, 'logs', `${name}.log`), 'a')
      const child = spawn(command, args(), {
        env: { ...env, ...more },
        stdio: ['ignore', output, output],
      })
      closeSync(output)
      children.set(name, child)
      child.once('exit', () => setTimeout(launch, random.between(200, 1_500)))
    }
    launch()
  }
  const node = (script: string, ...args: string[]) => [join(ROOT, script), ...args]
  supervise('smtp-1', process.execPath, () => node('test/faults/smtp-recorder.ts', String(smtp), record, String(cuts)))
  apiPorts.forEach((port, n) => {
    supervise(`api-${n + 1}`, process.execPath, () => node('src/bin/api.ts'), { PORT: String(port) })
  })
  for (const n of [1, 2]) supervise(`worker-${n}`, process.execPath, () => node('src/bin/worker.ts'))
  const direct = apiPorts.map((port) => `http://127.0.0.1:${port}`)
  if (cluster) {
    const caddy = await resolveGoTool('caddy', process.env, say)
    supervise('balancer-1', caddy, () => balance(dataDir, `http://127.0.0.1:${balancer}`, apiPorts))
  }
  const apis = cluster ? [`http://127.0.0.1:${balancer}`] : direct
  for (const api of [...direct, ...apis]) {
    await eventually(
      'the APIs are ready',
      () =>
        fetch(`${api}/readyz`).then(
          (answer) => answer.ok || undefined,
          () => undefined,
        ),
      60_000,
    )
  }

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
  return {
    apis,
    orm,
    temporalAddress: embedded.temporalAddress!,
    proxies,
    kill(kind) {
      if (kind === 'postgres') signal(pidIn('postgres/postmaster.pid'), 'SIGKILL')
      else if (kind === 'temporal') signal(pidIn('temporal.pid'), 'SIGKILL')
      else signal(oneOf(kind)?.pid, 'SIGKILL')
    },
    async killWorkersInTheAct() {
      const size = () => (existsSync(record) ? statSync(record).size : 0)
      const before = size()
      for (const deadline = Date.now() + 5_000; size() === before && Date.now() < deadline;) await delay(5)
      for (const [name, { pid }] of children) if (name.startsWith('worker-')) signal(pid, 'SIGKILL')
    },
    async freeze(kind, milliseconds) {
      const { pid } = oneOf(kind) ?? {}
      signal(pid, 'SIGSTOP')
      await delay(milliseconds)
      signal(pid, 'SIGCONT')
    },
    stopPolitely(kind) {
      signal(oneOf(kind)?.pid, 'SIGTERM')
    },
    async slowMail(milliseconds) {
      signal(children.get('smtp-1')?.pid, 'SIGHUP')
      await delay(milliseconds)
      signal(children.get('smtp-1')?.pid, 'SIGHUP')
    },
    async readOnly(milliseconds) {
      await setReadOnly(true)
      await endSessions()
      await delay(milliseconds)
      await setReadOnly(false)
      await endSessions()
    },
    endSessions,
    endCuts() {
      cuts = 0
      signal(children.get('smtp-1')?.pid, 'SIGUSR2')
    },
    accepted: () =>
      existsSync(record)
        ? readFileSync(record, 'utf8')
            .split('\n')
            .filter((line) => line.endsWith('}'))
            .map((line) => JSON.parse(line) as RecorderEntry)
        : [],
    async stop(keep) {
      stopping = true
      for (const child of children.values()) child.kill('SIGKILL')
      proxies.stop()
      await orm.close(true)
      await embedded.stop()
      if (!keep) rmSync(dataDir, { recursive: true, force: true })
      return dataDir
    },
  }
}

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('close', () => resolve()))
