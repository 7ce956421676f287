import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { someLinks } from './links.ts'
import { createSecrets, type Secrets } from '../../src/platform/secrets.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { resolveTestServer } from '../../scripts/temporal-test-server.ts'
import { createActivities } from '../../activities/index.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { newId } from '../../src/platform/ids.ts'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import { createBulkhead } from '../../src/platform/bulkhead.ts'
import { createQueueLimit } from '../../src/outbox/dependencies.ts'
import { createImmediateDelivery } from '../../src/relay/deliver.ts'
import { enrollContact, MAX_RECORDS_PER_BATCH } from '../../src/enrollments/enroll-contact.ts'
import { createSendRequest } from '../../src/steps/index.ts'
import { createLeaseKeeper } from '../../src/messages/leases.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { instanceIdOf } from '../../src/instance/temporal-namespace.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { type AutomationInput, createAutomation } from '../../src/automations/automations.ts'
import { newCall } from '../../src/platform/call.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { upsertContact } from '../../src/contacts/upsert-contacts.ts'
import { noMetrics, type Dependencies } from '../../src/outbox/dependencies.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { createEnrollments } from '../../src/temporal/client.ts'
import { addSearchAttributes } from '../../src/temporal/search-attributes.ts'
import { createSendingWorker, createWorker } from '../../src/temporal/worker.ts'
import { createDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { quietLog } from './log.ts'
import { startSmtpSink, type ReceivedMail, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { freePorts } from './ports.ts'
import { workflowBundle } from './workflow-bundle.ts'

const TASK_QUEUE = 'time-skipping'
const SERVER_START_MS = 180_000
/** The first call after the start of the server, and many calls at once, take seconds on a busy machine. */
const CALL_TIMEOUT_MS = 60_000
/**
 * How far ahead the clock may be when a suite begins. Between the end of a workflow and the answer to the test, the server sometimes
 * skips to the timeout of a run, which is ten years later. After 292 years, its nanoseconds overflow.
 */
const MAX_AHEAD_MS = 50 * 365 * 24 * 60 * 60_000

type Bundle = Awaited<ReturnType<typeof workflowBundle>>

/** Parts that a process starts once: the servers, and those of a worker. */
interface Machine {
  env: TestWorkflowEnvironment
  orm: Orm
  dependencies: Dependencies
  sink: SmtpSink
  renderer: Renderer
  secrets: Secrets
}

/** A workspace in an environment that skips time. */
export interface TimeSkipping extends Machine {
  workspaceId: string
  /** The mails that the SMTP server received, with the environment's time. */
  mails: { mail: ReceivedMail; virtualTime: number }[]
  /** Returns the subjects of the mails. */
  subjects(): (string | undefined)[]
  contact(metadata?: Record<string, unknown>): Promise<string>
  automation(steps: StepInput[], rules?: Partial<AutomationInput>): Promise<string>
  enroll(automationId: string, contactId: string): ReturnType<typeof enrollContact>
  handle(
    automationId: string,
    contactId: string,
  ): ReturnType<TestWorkflowEnvironment['client']['workflow']['getHandle']>
  /**
   * Does the work while the worker of production runs. It keeps running afterwards, for the next work with the same options.
   *
   * @param cachedWorkflows 0 if another worker continues the workflows: the test server leaves their tasks to the first one
   * @param bundle the workflow code; by default that of production
   */
  whileWorking<Result>(work: () => Promise<Result>, cachedWorkflows?: number, bundle?: Bundle): Promise<Result>
  /** Stops the worker, so that nothing happens until the next work. */
  stopWorker(): Promise<void>
  /** Ends the running workflows, which would act if another suite skipped time. */
  endWorkflows(): Promise<void>
  stop(): Promise<void>
}

interface Machinery extends Machine {
  onMail: (mail: ReceivedMail) => void | Promise<void>
  whileWorking: TimeSkipping['whileWorking']
  stopWorker(): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<Machinery> | undefined

/** Returns an environment with a clock of its own. Suites that do not need one use `useTimeSkipping`. */
export const startTimeSkipping = async (): Promise<TimeSkipping> => openWorkspace(await startMachinery())

/**
 * Opens a workspace in the environment of this test process, whose clock may already be years ahead. After the suite, its running
 * workflows end.
 *
 * @param clock 'own' for a suite that skips decades
 */
export function useTimeSkipping(
  assign: (world: TimeSkipping) => void,
  { clock = 'shared' }: { clock?: 'shared' | 'own' } = {},
): void {
  let world: TimeSkipping
  before(async () => {
    world = clock === 'own' ? await startTimeSkipping() : await openWorkspace(await sharedMachinery())
    assign(world)
  })
  beforeEach(() => (world.mails.length = 0))
  after(() => (clock === 'own' ? world.stop() : world.endWorkflows()))
}

/** Returns the environment of the process. It starts another one when the clock is too far ahead for the server's arithmetic. */
async function sharedMachinery(): Promise<Machinery> {
  const earlier = await shared
  const isUsable = earlier && (await earlier.env.currentTimeMs()) < Date.now() + MAX_AHEAD_MS
  if (!isUsable) {
    await earlier?.stop()
    shared = startMachinery()
  }
  return shared!
}

async function openWorkspace(machinery: Machinery): Promise<TimeSkipping> {
  // The worker of the last suite may cache workflows. It would get the tasks of those that it began, and no other worker would.
  await machinery.stopWorker()
  const { env, orm, dependencies } = machinery
  const mails: TimeSkipping['mails'] = []
  machinery.onMail = async (mail) => {
    mails.push({ mail, virtualTime: await env.currentTimeMs() })
  }
  const workspaceId = (await createWorkspace(orm.em, { name: 'Test', mode: 'live' })).id
  return {
    ...machinery,
    workspaceId,
    mails,
    subjects: () =>
      mails.map(({ mail }) => /^Subject: (.*)$/m.exec(mail.headers.replace(/\r?\n[ \t]+/g, ' '))?.[1]?.trim()),
    async contact(metadata) {
      const id = newId()
      const email = `${id}@example.com`
      await upsertContact(dependencies, workspaceId, { email, firstName: 'Ada' }, { ...newCall(), id })
      if (metadata) {
        const ids = { workspaceId, contactId: id, depth: 0 }
        await orm.em.fork().transactional((unit) => applyChange(unit, ids, { set: { metadata } }))
      }
      return id
    },
    async automation(steps, rules = {}) {
      const input = {
        name: 'A sequence',
        status: 'ACTIVE',
        trigger: 'EVENT',
        triggerConfig: { eventName: 'go' },
        steps,
        ...rules,
      } as const
      return (await createAutomation(orm.em, workspaceId, input)).automation.id
    },
    enroll: (automationId, contactId) =>
      enrollContact(dependencies, workspaceId, automationId, { contactId }, newCall()),
    handle: (automationId, contactId) => env.client.workflow.getHandle(`enrollment:${automationId}:${contactId}`),
    async endWorkflows() {
      const { executions } = await env.client.workflowService.listOpenWorkflowExecutions({ namespace: 'default' })
      for (const { execution } of executions ?? []) {
        // It may have ended in the meantime.
        await env.client.workflow
          .getHandle(execution!.workflowId!)
          .terminate()
          .catch(() => undefined)
      }
    },
  }
}

/** Starts workflows and activities of production, with real Postgres and real SMTP, in Temporal's time-skipping environment. */
async function startMachinery(): Promise<Machinery> {
  const { env, stop: stopServer } = await startTimeSkippingServer()
  const { orm } = await createDatabase()
  const sink = await startSmtpSink((mail) => machinery.onMail(mail))
  const smtp = createSmtpTransport({ server: readSmtpUrl(sink.url) })
  const renderer = createRenderer()
  const secrets = createSecrets('k'.repeat(44))
  await agreeOnMail(orm.em, { smtp: true, capture: false })
  const instance = instanceIdOf(orm.em)
  const dependencies: Dependencies = {
    recording: createBulkhead(MAX_RECORDS_PER_BATCH),
    deliverAtOnce: createImmediateDelivery(),
    crowded: createQueueLimit(),
    em: orm.em,
    enrollments: createEnrollments(env.client, TASK_QUEUE, instance, CALL_TIMEOUT_MS),
    log: quietLog,
    metrics: noMetrics,
  }

  async function startWorkers(cachedWorkflows: number, bundle?: Bundle) {
    const options = {
      connection: env.nativeConnection,
      namespace: 'default',
      taskQueue: TASK_QUEUE,
      activities: createActivities({
        ...dependencies,
        instance,
        smtp,
        renderer,
        requiresProof: false,
        sendRequest: createSendRequest(['127.0.0.1', 'localhost']),
        leases: createLeaseKeeper(orm.em),
        store: createMessageStore(orm.em),
        mailFrom: 'Dripline <from@example.com>',
        links: someLinks,
        secrets,
        connections: 5,
      }),
      shutdownGraceMs: 2_000,
    }
    const code = bundle ?? (await workflowBundle())
    const worker = await createWorker({ ...options, workflowBundle: code, cachedWorkflows })
    const sender = await createSendingWorker({ ...options, connections: 5 })
    const stopping = Promise.withResolvers<void>()
    const ended = worker.runUntil(sender.runUntil(stopping.promise))
    const failed = ended.then(() => Promise.reject(new Error('The worker was stopped during the work')))
    failed.catch(() => undefined)
    return {
      during: <Result>(work: () => Promise<Result>): Promise<Result> => Promise.race([work(), failed]),
      stop() {
        stopping.resolve()
        return ended
      },
    }
  }

  let running: { options: unknown[]; workers: Awaited<ReturnType<typeof startWorkers>> } | undefined
  const machinery: Machinery = {
    ...{ env, orm, dependencies, sink, renderer, secrets },
    onMail: () => undefined,
    async whileWorking(work, cachedWorkflows = 500, bundle) {
      const options = [cachedWorkflows, bundle]
      if (running?.options.some((option, n) => option !== options[n])) await machinery.stopWorker()
      running ??= { options, workers: await startWorkers(cachedWorkflows, bundle) }
      return running.workers.during(work)
    },
    async stopWorker() {
      const stopped = running
      running = undefined
      await stopped?.workers.stop()
    },
    async stop() {
      await machinery.stopWorker()
      await smtp.close()
      await renderer.close()
      await sink.close()
      await orm.close(true)
      await env.teardown()
      await stopServer()
    },
  }
  return machinery
}

/** Connects to a server. The SDK's public functions connect only to a server that they start, if it skips time. */
const connectTo = (address: string) =>
  (
    TestWorkflowEnvironment as unknown as {
      create(options: object): Promise<TestWorkflowEnvironment>
    }
  ).create({
    ...{ server: { type: 'existing' }, address, supportsTimeSkipping: true },
    // The server closes connections that ping more often than every five minutes. A call that locks or unlocks its time would be
    // repeated, and time stand still.
    connectionOptions: { channelArgs: { 'grpc.keepalive_time_ms': 3_600_000 } },
  })

/**
 * Starts a time-skipping server. All clients of a server share its clock. The SDK waits only five seconds for a server that it
 * starts, which is too short on a busy machine, and leaves it running if the process is killed.
 */
async function startTimeSkippingServer(): Promise<{ env: TestWorkflowEnvironment; stop: () => Promise<void> }> {
  const executable = await resolveTestServer(process.env, () => undefined)
  if (executable.type !== 'existing-path') throw new Error('The test server has no path')
  const [port] = (await freePorts(1)) as [number]
  // The shell ends the server when its standard input closes, which happens even if this process is killed.
  const script = '"$0" "$1" & cat; kill $!'
  const shell = spawn('/bin/sh', ['-c', script, executable.path, String(port)], { stdio: ['pipe', 'ignore', 'pipe'] })
  let output = ''
  shell.stderr.on('data', (text: Buffer) => (output += text.toString()))
  const stop = async () => {
    shell.stdin.end()
    await once(shell, 'close')
  }
  try {
    await eventually('the test server listens', () => listens(port), SERVER_START_MS)
    const env = await eventually(
      'the test server responds',
      () => connectTo(`127.0.0.1:${port}`).catch(() => undefined),
      SERVER_START_MS,
    )
    // The test server can't list search attributes, only add them.
    await addSearchAttributes(env.client, 'default')
    return { env, stop }
  } catch (error) {
    await stop()
    throw new Error(`Temporal's test server did not start. ${output}`, { cause: error })
  }
}

const listens = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(undefined)).once('connect', () => socket.destroy())
  })
