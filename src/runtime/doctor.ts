import { statfs } from 'node:fs/promises'
import type { Client } from '@temporalio/client'
import {
  findTemporalBindingProblem,
  readMailMode,
  readMailSender,
  readSendingGate,
  SENDING_DISABLED,
} from '../instance/index.ts'
import { readOperationalStats } from '../relay/index.ts'
import { readConfig, type Config } from '../platform/config.ts'
import { isLoginRefused } from '../platform/db/errors.ts'
import { ping } from '../platform/db/sql.ts'
import { pendingMigrations, type Orm } from '../platform/db/orm.ts'
import { openTemporal } from '../temporal/connection.ts'
import { openDatabase } from '../schema/index.ts'
import { addressOfServer, adviceFor, createSmtpTransport, readSmtpUrl } from '../smtp/index.ts'
import { type Addresses, whyUnknown } from './service-addresses.ts'
import { countWorkers } from './count-workers.ts'
import { readConfiguredTemporalBinding } from './temporal-namespace.ts'

/** What was looked at, and how it is. */
export interface Finding {
  what: string
  is: 'fine' | 'note' | 'WRONG'
  words: string
  /** What to do about it. */
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

/** How long each may take to answer, in milliseconds. */
const PATIENCE_MS = 5_000
/** As much is free, in bytes, before it is worth a word. */
const LITTLE_SPACE = 1024 ** 3
/** How long something may wait for Temporal, in seconds. */
const LONG_UNDELIVERED_SECONDS = 60

/**
 * Looks at an instance from the configuration to the mail server, and changes nothing. What depends on something that is
 * wrong is left out.
 *
 * @param running where the `npm start` on the data folder has its Postgres and its Temporal
 */
export async function examine(env: NodeJS.ProcessEnv, running: (config: Config) => Addresses): Promise<Finding[]> {
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
  const orm = openDatabase({ url: databaseUrl, timeoutMs: PATIENCE_MS })
  const temporal = openTemporal({
    address: temporalAddress,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  })
  try {
    const [ledger, queues, workplace, api] = await Promise.all([
      lookAtPostgres(orm, databaseUrl),
      lookAtTemporal(temporal, config, temporalAddress),
      lookAtWorkplace(orm, temporal, config),
      lookAtApi(config),
    ])
    return [...findings, ...ledger, ...queues, ...workplace, api, ...(await lookAtMail(orm, config))]
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
  return free < LITTLE_SPACE
    ? wrong('disk', words, 'Make room: Postgres stops when there is none.')
    : fine('disk', words)
}

async function lookAtPostgres(orm: Orm, databaseUrl: string): Promise<Finding[]> {
  const em = orm.em.fork()
  try {
    await ping(em)
  } catch (error) {
    const at = `${addressOf(databaseUrl)} (${reasonOf(error)})`
    return [
      isLoginRefused(error)
        ? wrong(
            'Postgres',
            `does not let us in at ${at}`,
            'Set DATABASE_URL to a user, a password and a database that are there.',
          )
        : wrong(
            'Postgres',
            `does not answer at ${at}`,
            'Is it running, and is DATABASE_URL right, if you have set it?',
          ),
    ]
  }
  const pending = await pendingMigrations(orm)
  if (pending.length > 0) {
    return [wrong('Postgres', `lacks migrations: ${pending.join(', ')}`, 'Run: npm run --silent cli -- migrate')]
  }
  const findings = [fine('Postgres', 'answers, and its schema is of this version')]
  const { isOpen, lostUntil } = await readSendingGate(em)
  if (!isOpen) findings.push(wrong('ledger', 'is restored, and sends nothing', SENDING_DISABLED))
  if (lostUntil !== null && lostUntil > new Date()) {
    const advice = 'Was a clock wrong when it was reconciled? Say reconcile --restored, and then reconcile.'
    findings.push(
      wrong('ledger', `takes all that is due until ${lostUntil.toISOString()} for lost, and sends none of it`, advice),
    )
  }
  const { unconfirmed, undelivered, oldestUndelivered, paused } = await readOperationalStats(em)
  if (unconfirmed > 0) {
    const advice = 'Decide: npm run --silent cli -- message list, or GET /messages?status=UNCONFIRMED.'
    findings.push(note('messages', `${unconfirmed} are UNCONFIRMED: nobody knows whether they were sent`, advice))
  }
  if (paused > 0) findings.push(note('enrollments', `${paused} wait because their automation is paused or a draft`))
  if (oldestUndelivered > LONG_UNDELIVERED_SECONDS) {
    const words = `${undelivered} events wait for Temporal, the oldest for ${Math.round(oldestUndelivered)} s`
    findings.push(wrong('events', words, 'Is Temporal there, and does a worker run?'))
  }
  return findings
}

async function lookAtTemporal(client: Client, config: Config, address: string): Promise<Finding[]> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config
  const { workflowService } = client.connection
  const asked = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + PATIENCE_MS, call)
  try {
    await asked(() => workflowService.describeNamespace({ namespace }))
  } catch (error) {
    const isThere = /not found/i.test((error as Error).message)
    return [
      isThere
        ? wrong(
            'Temporal',
            `has no namespace "${namespace}"`,
            'Make it, or set TEMPORAL_NAMESPACE to one that is there.',
          )
        : wrong(
            'Temporal',
            `does not answer at ${address} (${reasonOf(error)})`,
            'Is it running, and is TEMPORAL_ADDRESS right?',
          ),
    ]
  }
  const workers = await countWorkers(client, config, PATIENCE_MS)
  return [
    fine('Temporal', `answers at ${address}, and has the namespace "${namespace}"`),
    workers > 0
      ? fine('worker', `${workers} asked for work within a minute, on the task queue "${taskQueue}"`)
      : wrong(
          'worker',
          `none on the task queue "${taskQueue}"`,
          'Start one: npm run worker. Without it nothing is sent.',
        ),
  ]
}

/** Checks that Temporal is the one that the database names. If either does not answer, other checks report it. */
async function lookAtWorkplace(orm: Orm, temporal: Client, config: Config): Promise<Finding[]> {
  try {
    const problem = await findTemporalBindingProblem(orm.em, await readConfiguredTemporalBinding({ temporal, config }))
    return problem === undefined ? [] : [wrong('workplace', 'is not the one in the database', problem)]
  } catch {
    return []
  }
}

async function lookAtApi({ PORT }: Config): Promise<Finding> {
  const url = `http://127.0.0.1:${PORT}/readyz`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (answer.ok) return fine('API', `is ready on port ${PORT}`)
    return wrong('API', `is not ready: ${(await answer.text()).slice(0, 200)}`, 'It lacks what is wrong above.')
  } catch {
    return note(
      'API',
      `does not answer on port ${PORT} of this machine`,
      'If it is to run here, is PORT the one that it has?',
    )
  }
}

async function lookAtMail(orm: Orm, { SMTP_URL, MAIL_CAPTURE, MAIL_FROM }: Config): Promise<Finding[]> {
  const em = orm.em.fork()
  const mode = await readMailMode(em).catch(() => undefined)
  if (mode === undefined) return []
  const sender = MAIL_FROM ?? (await readMailSender(em))
  if (mode !== 'smtp') {
    const words = 'is captured, not delivered'
    return SMTP_URL && !MAIL_CAPTURE
      ? [wrong('mail', words, CAPTURED)]
      : [note('mail', words, 'Set SMTP_URL and MAIL_FROM, and start again, to deliver it.')]
  }
  const findings = [
    sender === null ? wrong('sender', 'nobody has said from whom', 'Set MAIL_FROM.') : fine('sender', 'is chosen'),
  ]
  if (SMTP_URL === undefined) {
    const advice = 'Only whoever sets it can try the server, or send a message once more.'
    return [...findings, note('mail', 'is delivered by SMTP, and SMTP_URL is not set here', advice)]
  }
  const server = readSmtpUrl(SMTP_URL)
  const smtp = createSmtpTransport({ server, maxConnections: 1 })
  const failure = await smtp.tryConnection()
  await smtp.close()
  return [
    ...findings,
    failure === undefined
      ? fine('mail server', `${addressOfServer(server)} lets us in`)
      : wrong('mail server', `${addressOfServer(server)} does not let us in: ${failure}`, adviceFor(failure)),
  ]
}

const CAPTURED =
  'SMTP_URL is set here; but the last part that said how mail leaves this instance was started with MAIL_CAPTURE=true, or ' +
  'none with SMTP_URL. Start a worker with it.'

/** Of a URL what is no secret. */
const addressOf = (url: string): string => {
  const { hostname, port } = new URL(url)
  return `${hostname || 'its socket'}:${port || 5432}`
}

/** What an error says without what could be in a URL. */
const reasonOf = (error: unknown): string => {
  const { code, message } = error as { code?: unknown; message: string }
  return typeof code === 'string' ? code : message.split('\n')[0]!.slice(0, 100)
}
