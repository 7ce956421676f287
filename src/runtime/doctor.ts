import { statfs } from 'node:fs/promises'
import type { Client } from '@temporalio/client'
import {
  findPublicUrl,
  findTemporalBindingProblem,
  PUBLIC_URL_NOT_HTTPS,
  readMailMode,
  readMailSender,
  readSendingGate,
  SENDING_DISABLED,
} from '../instance/index.ts'
import { readOperationalStats } from '../relay/index.ts'
import { readConfig, type Config } from '../platform/config.ts'
import { isLoginRefused } from '../platform/db/errors.ts'
import { ping } from '../platform/db/sql.ts'
import { type CounterDifference, counterDifferences, readGrowth } from '../stats/index.ts'
import { pendingMigrations, type Orm } from '../platform/db/orm.ts'
import { openTemporal } from '../temporal/connection.ts'
import { openDatabase } from '../schema/index.ts'
import { createDns } from '../platform/dns.ts'
import { addressOfServer, adviceFor, createSmtpTransport, isLocal, readSmtpUrl } from '../smtp/index.ts'
import { mailServersOf } from './mail.ts'
import { checkSendingHost } from './sending-host.ts'
import { type Addresses, whyUnknown } from './service-addresses.ts'
import { countWorkers } from './count-workers.ts'
import { readConfiguredTemporalBinding } from './temporal-namespace.ts'

/** The result of one check. */
export interface Finding {
  what: string
  is: 'fine' | 'note' | 'WRONG'
  words: string
  /** The recommended action. */
  advice?: string
}

const fine = (what: string, words: string): Finding => ({ what, is: 'fine', words })
const note = (what: string, words: string, advice?: string): Finding => ({
  what,
  is: 'note',
  words,
  ...(advice && { advice }),
})
const wrong = (what: string, words: string, advice: string): Finding => ({ what, is: 'WRONG', words, advice })

/** The maximum time of each check, in milliseconds. */
const TIMEOUT_MS = 5_000
/** Free space that causes a warning, in bytes. */
const MIN_FREE_BYTES = 1024 ** 3
/** The age of an undelivered event that causes a warning, in seconds. */
const MAX_UNDELIVERED_SECONDS = 60

/**
 * Checks an instance from the configuration to the mail server, and changes nothing. Checks that depend on a failed one are
 * skipped.
 *
 * @param running finds the Postgres and the Temporal of the `npm start` on the data folder
 */
export async function runDoctor(env: NodeJS.ProcessEnv, running: (config: Config) => Addresses): Promise<Finding[]> {
  let config: Config
  let embedded: Addresses
  try {
    config = readConfig(env)
    embedded = running(config)
  } catch (error) {
    return [wrong('configuration', 'cannot be used', (error as Error).message)]
  }
  const databaseUrl = config.DATABASE_URL ?? embedded.databaseUrl
  const temporalAddress = config.TEMPORAL_ADDRESS ?? embedded.temporalAddress
  const findings = [fine('configuration', 'can be read'), await space(config)].flatMap((found) => found ?? [])
  if (databaseUrl === undefined || temporalAddress === undefined) {
    const { what, advice } = whyUnknown(config.dataDir, embedded)
    return [...findings, wrong('service', what, advice)]
  }
  const orm = openDatabase({ url: databaseUrl, timeoutMs: TIMEOUT_MS })
  const temporal = openTemporal({
    address: temporalAddress,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  })
  try {
    const [postgres, queues, binding, api] = await Promise.all([
      checkPostgres(orm, databaseUrl),
      checkTemporal(temporal, config, temporalAddress),
      checkTemporalBinding(orm, temporal, config),
      checkApi(config),
    ])
    return [...findings, ...postgres, ...queues, ...binding, api, ...(await checkMail(orm, config))]
  } finally {
    await Promise.allSettled([orm.close(true), temporal.connection.close()])
  }
}

async function space({ dataDir, DATABASE_URL }: Config): Promise<Finding | undefined> {
  if (DATABASE_URL !== undefined) return undefined
  const found = await statfs(dataDir).catch(() => undefined)
  if (!found) return undefined
  const free = found.bavail * found.bsize
  const words = `${(free / 1024 ** 3).toFixed(1)} GB free for ${dataDir}`
  return free < MIN_FREE_BYTES
    ? wrong('disk', words, 'Free some space: Postgres stops when the disk is full.')
    : fine('disk', words)
}

async function checkPostgres(orm: Orm, databaseUrl: string): Promise<Finding[]> {
  const em = orm.em.fork()
  try {
    await ping(em)
  } catch (error) {
    const at = `${addressOf(databaseUrl)} (${reasonOf(error)})`
    return [
      isLoginRefused(error)
        ? wrong(
            'Postgres',
            `rejects the login at ${at}`,
            'Set DATABASE_URL to an existing user, password and database.',
          )
        : wrong(
            'Postgres',
            `does not respond at ${at}`,
            'Check that it is running, and that DATABASE_URL is correct if it is set.',
          ),
    ]
  }
  const pending = await pendingMigrations(orm)
  if (pending.length > 0) {
    return [wrong('Postgres', `lacks migrations: ${pending.join(', ')}`, 'Run: npm run --silent cli -- migrate')]
  }
  const findings = [fine('Postgres', 'responds, and its schema matches this version')]
  const { isOpen, lostUntil } = await readSendingGate(em)
  if (!isOpen) findings.push(wrong('sending', 'is restored and sends nothing', SENDING_DISABLED))
  if (lostUntil !== null && lostUntil > new Date()) {
    const advice = 'If a clock was wrong at the reconciliation, run "reconcile --restored", and then "reconcile".'
    findings.push(
      wrong(
        'sending',
        `treats all messages that are due until ${lostUntil.toISOString()} as possibly sent, and sends none of them`,
        advice,
      ),
    )
  }
  const { unconfirmed, undelivered, oldestUndelivered, paused } = await readOperationalStats(em)
  if (unconfirmed > 0) {
    const advice =
      'Decide what to do with them: npm run --silent cli -- message list, or GET /messages?status=UNCONFIRMED.'
    findings.push(note('messages', `${unconfirmed} are UNCONFIRMED: they may or may not have been sent`, advice))
  }
  if (paused > 0)
    findings.push(note('enrollments', `${paused} are waiting because their automation is paused or a draft`))
  if (oldestUndelivered > MAX_UNDELIVERED_SECONDS) {
    const words = `${undelivered} events are waiting for Temporal, the oldest for ${Math.round(oldestUndelivered)} s`
    findings.push(wrong('events', words, 'Check that Temporal and a worker are running.'))
  }
  return [...findings, await checkGrowth(orm), await checkCounters(orm)]
}

/** Estimates how fast the database grows. */
async function checkGrowth({ em }: Orm): Promise<Finding> {
  const { databaseBytes, messages, recentBytes } = await readGrowth(em.fork(), null)
  const words = `has ${megabytes(databaseBytes)} and ${messages} messages; those of the last 30 days take about ${megabytes(recentBytes)}`
  return fine('database', words)
}

const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024 ** 2))} MB`

/** Compares the counters with what they count. On a large instance this takes longer than a check may. */
async function checkCounters({ em }: Orm): Promise<Finding> {
  try {
    const differences = await counterDifferences(em)
    if (differences.length === 0) return fine('counters', 'agree with the messages and enrollments that they count')
    const [{ counter, stored, counted }] = differences as [CounterDifference]
    const words = `${differences.length} differ from what they count, the first by ${stored - counted}: ${counter}`
    return wrong('counters', words, 'Reports are wrong by these numbers. Please report it as a bug of Dripline.')
  } catch (error) {
    return note('counters', `were not compared with what they count (${reasonOf(error)})`)
  }
}

async function checkTemporal(client: Client, config: Config, address: string): Promise<Finding[]> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config
  const { workflowService } = client.connection
  const limited = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + TIMEOUT_MS, call)
  try {
    await limited(() => workflowService.describeNamespace({ namespace }))
  } catch (error) {
    const isThere = /not found/i.test((error as Error).message)
    return [
      isThere
        ? wrong(
            'Temporal',
            `has no namespace "${namespace}"`,
            'Create it, or set TEMPORAL_NAMESPACE to an existing one.',
          )
        : wrong(
            'Temporal',
            `does not respond at ${address} (${reasonOf(error)})`,
            'Check that it is running, and that TEMPORAL_ADDRESS is correct.',
          ),
    ]
  }
  const workers = await countWorkers(client, config, TIMEOUT_MS)
  return [
    fine('Temporal', `responds at ${address}, and has the namespace "${namespace}"`),
    workers > 0
      ? fine('worker', `${workers} polled for work within a minute, on the task queue "${taskQueue}"`)
      : wrong(
          'worker',
          `none on the task queue "${taskQueue}"`,
          'Start one: npm run worker. Without a worker, nothing is sent.',
        ),
  ]
}

/** Checks that this Temporal is the one recorded in the database. If either does not respond, other checks report it. */
async function checkTemporalBinding(orm: Orm, temporal: Client, config: Config): Promise<Finding[]> {
  try {
    const problem = await findTemporalBindingProblem(orm.em, await readConfiguredTemporalBinding({ temporal, config }))
    return problem === undefined ? [] : [wrong('Temporal binding', 'differs from the one in the database', problem)]
  } catch {
    return []
  }
}

async function checkApi({ PORT }: Config): Promise<Finding> {
  const url = `http://127.0.0.1:${PORT}/readyz`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (answer.ok) return fine('API', `is ready on port ${PORT}`)
    return wrong('API', `is not ready: ${(await answer.text()).slice(0, 200)}`, 'See the problems above.')
  } catch {
    return note(
      'API',
      `does not respond on port ${PORT} of this machine`,
      'If the API should run on this machine, check that it uses this PORT.',
    )
  }
}

async function checkMail(orm: Orm, config: Config): Promise<Finding[]> {
  const { SMTP_URL, MAIL_CAPTURE, MAIL_FROM } = config
  const em = orm.em.fork()
  const mode = await readMailMode(em).catch(() => undefined)
  if (mode === undefined) return []
  const sender = MAIL_FROM ?? (await readMailSender(em))
  if (mode !== 'smtp') {
    const words = 'is captured, not delivered'
    return SMTP_URL && !MAIL_CAPTURE
      ? [wrong('mail', words, CAPTURED)]
      : [note('mail', words, 'To deliver it, set SMTP_URL and MAIL_FROM, and restart.')]
  }
  const findings = [
    sender === null ? wrong('sender', 'is not configured', 'Set MAIL_FROM.') : fine('sender', 'is chosen'),
  ]
  if (SMTP_URL === undefined) {
    const advice = 'Set SMTP_URL to check the server, or to send messages again.'
    return [...findings, note('mail', 'is delivered by SMTP, and SMTP_URL is not set here', advice)]
  }
  const url = await findPublicUrl(em, config)
  if (!url.startsWith('https:') && !mailServersOf(config).every(isLocal))
    findings.push(wrong('public URL', `is ${url}, which does not use https`, PUBLIC_URL_NOT_HTTPS))
  const server = readSmtpUrl(SMTP_URL)
  const smtp = createSmtpTransport({ server, maxConnections: 1 })
  const failure = await smtp.tryConnection()
  await smtp.close()
  const place = addressOfServer(server)
  if (failure !== undefined)
    return [...findings, wrong('mail server', `${place} cannot be used: ${failure}`, adviceFor(failure))]
  const { words, advice } = await checkSendingHost(createDns(config.dnsServers), server, TIMEOUT_MS)
  return [
    ...findings,
    fine('mail server', `${place} accepts the login`),
    advice === undefined ? fine('sending host', words) : note('sending host', words, advice),
  ]
}

const CAPTURED =
  'SMTP_URL is set here, but the last process that chose the mail mode was started with MAIL_CAPTURE=true, or no process ' +
  'was started with SMTP_URL. Start a worker with it.'

/** The host and port of a URL, without its secrets. */
const addressOf = (url: string): string => {
  const { hostname, port } = new URL(url)
  return `${hostname || 'its socket'}:${port || 5432}`
}

/** The reason of an error, without anything that could be from a URL. */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: unknown; message: string }
  return typeof code === 'string' ? code : message.split('\n')[0]!.slice(0, 100)
}
