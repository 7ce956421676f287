/** A whole instance in one process: services, activities and workflows of the product, with models around them. */
import type { StepInput } from '../../src/automations/steps/index.ts'
import { createActivities } from '../../activities/index.ts'
import { type EntityManager, type Orm } from '../../src/platform/db/orm.ts'
import { openDatabase } from '../../src/schema/open.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createBulkhead } from '../../src/platform/bulkhead.ts'
import { createQueueLimit } from '../../src/outbox/dependencies.ts'
import { createImmediateDelivery } from '../../src/relay/deliver.ts'
import { createAutomation, waitForSendingMessages, updateAutomation } from '../../src/automations/automations.ts'
import { type Call, newCall } from '../../src/platform/call.ts'
import { ApiError } from '../../src/platform/api-error.ts'
import { newId } from '../../src/platform/ids.ts'
import { KEY_IN_PROGRESS } from '../../src/http/errors.ts'
import { takeIdempotencyKey } from '../../src/http/idempotency-queries.ts'
import { IdempotentAttempt } from '../../src/http/idempotent-attempt.ts'
import type { OperationResponse } from '../../src/http/operation.ts'
import { finish, runInTransaction } from '../../src/http/run-change.ts'
import { noMetrics, type Dependencies } from '../../src/outbox/dependencies.ts'
import { enrollContact, MAX_RECORDS_PER_BATCH } from '../../src/enrollments/enroll-contact.ts'
import type { EmailContent } from '../../src/rendering/content.ts'
import { noSecrets, someLinks } from '../support/links.ts'
import { createLeaseKeeper } from '../../src/messages/leases.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { withFailOver } from '../../src/smtp/fail-over.ts'
import { startEmailQueue } from '../../src/emails/email-queue.ts'
import { startRelay } from '../../src/relay/relay.ts'
import type { Trigger, TriggerConfig } from '../../src/triggers/trigger.ts'
import { upsertContact } from '../../src/contacts/upsert-contacts.ts'
import { createSecrets } from '../../src/platform/secrets.ts'
import { startWebhookDeliveries, type WebhookDeliveries } from '../../src/webhooks/deliver.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { MailModel } from './mail-model.ts'
import { BEGINNING, current, type Process, Scheduler, type Decisions } from './scheduler.ts'
import { resetClock, closeSessions, countSessions, SimulatedSession, useSessions } from './simulated-session.ts'
import { type Lengths, TemporalModel } from './temporal-model.ts'
import { useScheduler } from './virtual-time.ts'
import type { ReceiverModel } from './webhook-model.ts'
import { instances } from './workflow-runtime.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** The real renderer has processes of its own, which cannot be scheduled. This one returns templates as they are. */
const renderer = {
  render: (content: { subject: string; html: string | null; text: string | null }) => Promise.resolve(content),
  check: () => Promise.resolve({ problems: [], variables: [], unknownVariables: [] }),
  renderAll: (content: EmailContent, all: readonly unknown[]) => Promise.resolve(all.map(() => content)),
  renderTexts: () => Promise.reject(new Error('The simulation has no webhooks')),
  compile: () => Promise.reject(new Error('The simulation does not compile templates')),
  problem: () => undefined,
  close: () => Promise.resolve(),
}

/** The ID of the only instance. */
const INSTALLATION = 'simulation'

/** Postgres, with one set of connections for all runs of a process. */
export class Ground {
  readonly orm: Orm
  readonly url: string
  workspaceId = ''

  constructor(url: string) {
    this.url = url
    this.orm = openDatabase({ url, poolSize: 40, timeoutMs: 60_000, client: SimulatedSession })
  }

  async prepare(): Promise<void> {
    await this.clear()
    await sql(this.orm.em.fork(), 'delete from workspaces')
    this.workspaceId = (await createWorkspace(this.orm.em, { name: 'Simulation', mode: 'live' })).id
    await agreeOnMail(this.orm.em, { smtp: true, capture: false })
  }

  /** Deletes the data of the previous run. */
  async clear(): Promise<void> {
    await closeSessions()
    await resetClock(this.url, BEGINNING)
    // One statement takes one round trip.
    const statements = [...TABLES.map((table) => `delete from ${table}`), `update workspaces set mode = 'live'`]
    await sql(this.orm.em.fork(), statements.join('; '))
    await this.fillPool()
  }

  /**
   * Opens enough connections. An open one is available sooner than one that has to be opened, so runs would not be
   * reproducible.
   */
  private async fillPool(): Promise<void> {
    if (countSessions() >= SESSIONS) return
    await Promise.all(Array.from({ length: SESSIONS }, () => sql(this.orm.em.fork(), 'select pg_sleep(0.005)')))
  }
}

/** More than a run needs and loses by its faults. */
const SESSIONS = 30

/** All tables that a run writes to, from the leaves to the roots. */
const TABLES = [
  ...[
    'outbox',
    'processed_events',
    'messages',
    'emails',
    'enrollments',
    'trigger_events',
    'idempotency_keys',
    'contact_counters',
  ],
  ...[
    'campaign_contents',
    'campaigns',
    'confirmation_requests',
    'list_opt_outs',
    'list_members',
    'list_counters',
    'lists',
    'suppressions',
  ],
  ...['import_chunks', 'import_errors', 'imports', 'senders', 'dkim_keys', 'warm_up_days'],
  ...['webhook_endpoints', 'webhook_events'],
  ...['contacts', 'email_contents', 'automation_versions', 'automations'],
]

/** Interval of an idle relay in virtual milliseconds: each poll takes some steps of the run. */
const RELAY_IDLE_MS = 30_000
/** The same for the queue of transactional emails. */
const EMAIL_QUEUE_IDLE_MS = 2_000
/** The same for the delivery of webhooks: shorter than a lease. */
const WEBHOOKS_IDLE_MS = 2_000

/** Signs webhooks. */
export const WEBHOOK_SECRETS = createSecrets('k'.repeat(44))

export interface WorldOptions extends Lengths {
  /** Number of connections from each worker to the mail server. */
  connections: number
  /** Number of mail servers: each one after the first gets the messages that the one before cannot accept. */
  mailServers: number
}

export class World {
  readonly scheduler: Scheduler
  readonly temporal: TemporalModel
  readonly mail: MailModel
  readonly ground: Ground
  /** The fired events, and when their first request began. */
  readonly fired: { id: string; at: number }[] = []
  /** Whether workers send transactional emails. */
  sendsEmails = false
  /** Receives webhooks, in a world that has some. */
  receiver: ReceiverModel | undefined
  private readonly webhooks = new Map<Process, WebhookDeliveries>()
  private restarts = 0
  private readonly connections: number
  private readonly mailServers: number

  constructor(ground: Ground, decisions: Decisions, { connections, mailServers, ...lengths }: WorldOptions) {
    this.ground = ground
    this.connections = connections
    this.mailServers = mailServers
    this.scheduler = new Scheduler(decisions)
    useScheduler(this.scheduler, () => instances.getStore()?.now)
    this.temporal = new TemporalModel(this.scheduler, lengths, INSTALLATION)
    this.mail = new MailModel(this.scheduler)
    this.scheduler.offers = () => this.temporal.offers()
  }

  begin(workers: number): void {
    useSessions(this.scheduler)
    const killed = this.scheduler.onCrash
    this.scheduler.onCrash = (process) => {
      killed(process)
      if (process.name.startsWith('worker')) current.exit(() => this.scheduler.after(2_000, () => this.startWorker()))
    }
    for (let n = 0; n < workers; n += 1) this.startWorker()
  }

  /** Kills a process, as a fault does. */
  kill(process: Process): void {
    this.scheduler.faults.push({ process, what: 'it is killed', fault: 'crash-before' })
    this.scheduler.crash(process)
  }

  /** Whether a process of a kind was stopped for a while. */
  stopped(kind: 'api' | 'worker'): boolean {
    return this.scheduler.faults.some(
      ({ process, fault }) => process.name.startsWith(kind) && /^(stall|nap)/.test(fault),
    )
  }

  get em(): EntityManager {
    return this.ground.orm.em.fork()
  }

  dependencies(): Dependencies {
    return {
      // Of this process: statements that requests share are kept by it.
      em: this.ground.orm.em.fork(),
      enrollments: this.temporal.client(),
      recording: createBulkhead(MAX_RECORDS_PER_BATCH),
      deliverAtOnce: createImmediateDelivery(),
      crowded: createQueueLimit(),
      log,
      metrics: noMetrics,
    }
  }

  private startWorker(): void {
    this.restarts += 1
    const process = this.scheduler.process(`worker-${this.restarts}`)
    const dependencies = this.dependencies()
    const servers = Array.from({ length: this.mailServers }, (_, n) => (n === 0 ? 'mail' : `mail ${n + 1}`))
    const smtp = withFailOver(servers.map((server) => this.mail.transport(this.connections, server)))
    const sending = {
      ...dependencies,
      smtp,
      renderer,
      requiresProof: false,
      leases: createLeaseKeeper(dependencies.em),
      store: createMessageStore(dependencies.em),
      mailFrom: 'Simulation <from@example.com>',
      links: someLinks,
      secrets: noSecrets,
      connections: this.connections,
    }
    const activities = createActivities({
      ...sending,
      instance: () => Promise.resolve(INSTALLATION),
      sendRequest: () => Promise.resolve({ problem: 'The simulation has no web servers', isPermanent: true }),
    })
    this.temporal.workers.add({ process, activities })
    current.run(process, () => {
      startRelay(dependencies, { idleMs: RELAY_IDLE_MS })
      if (this.sendsEmails) startEmailQueue(sending, { connections: this.connections, idleMs: EMAIL_QUEUE_IDLE_MS })
      if (this.receiver) this.webhooks.set(process, this.deliverWebhooks(this.receiver))
    })
  }

  private deliverWebhooks({ request }: ReceiverModel): WebhookDeliveries {
    const { em } = this.ground.orm
    const options = { allowedHosts: [], idleMs: WEBHOOKS_IDLE_MS, request }
    return startWebhookDeliveries({ em, log, secrets: WEBHOOK_SECRETS }, options)
  }

  /** Stops the webhooks of a worker gracefully, and then the worker. */
  async stopWebhooks(process: Process): Promise<void> {
    await Promise.race([current.run(process, () => this.webhooks.get(process)?.stop()), this.scheduler.pause(20_000)])
    if (process.alive) this.scheduler.crash(process)
  }

  // Data from before the run, created without a step of it.

  async contact(name: string): Promise<string> {
    const contact = await upsertContact(
      this.dependencies(),
      this.ground.workspaceId,
      { email: `${name}@example.com` },
      newCall(),
    )
    return contact.id
  }

  async automation(
    steps: StepInput[],
    given: { trigger: Trigger; triggerConfig: TriggerConfig; exitOn?: { eventName: string }[] } = {
      trigger: 'EVENT',
      triggerConfig: { eventName: 'go' },
    },
  ): Promise<string> {
    const { automation } = await createAutomation(this.ground.orm.em, this.ground.workspaceId, {
      name: 'A sequence',
      status: 'ACTIVE',
      ...given,
      steps,
    })
    return automation.id
  }

  /**
   * A client that repeats requests until they are acknowledged, each time to another process, as through a load balancer.
   * @returns the answer, its step, and the number of the attempt that got it
   */
  async client<Answer>(
    name: string,
    call: (dependencies: Dependencies, attempt: number) => Promise<Answer>,
    isFinal: (error: Error) => boolean = () => false,
  ): Promise<{ answer: Answer | undefined; at: number; attempt: number }> {
    for (let attempt = 1; ; attempt += 1) {
      const api = this.scheduler.process(`api (${name}, try ${attempt})`)
      const result = await new Promise<{ answer: Answer | undefined } | undefined>((resolve) => {
        // The client's own timeout: an unanswered request is repeated.
        current.exit(() => this.scheduler.after(15_000, () => resolve(undefined)))
        current.run(api, () => {
          call(this.dependencies(), attempt).then(
            (answer) => api.alive && resolve({ answer }),
            (error: Error) => {
              if (isFinal(error)) resolve({ answer: undefined })
              else if (api.alive) current.exit(() => this.scheduler.after(200, () => resolve(undefined)))
            },
          )
        })
      })
      if (result) return { answer: result.answer, at: this.scheduler.step, attempt }
    }
  }

  /**
   * A client that repeats a request with an Idempotency-Key.
   * @returns like `client`; the answer is `undefined` if the contact of the stored response was erased
   */
  keyed(
    key: string,
    run: (dependencies: Dependencies, call: Call) => Promise<OperationResponse>,
    isFinal?: (error: Error) => boolean,
  ) {
    const { workspaceId } = this.ground
    const fingerprint = Buffer.from(key)
    const request = async (dependencies: Dependencies): Promise<object | undefined> => {
      const { em } = dependencies
      const taken = await takeIdempotencyKey(em.fork(), workspaceId, key, { id: newId(), fingerprint })
      if (taken.kind === 'erased') return undefined
      if (taken.kind === 'answered') return taken
      if (taken.kind !== 'mine') throw new ApiError(KEY_IN_PROGRESS)
      const attempt = new IdempotentAttempt({ ...taken, workspaceId, key }, taken.retried)
      const call: Call = { ...newCall(), id: attempt.id, retried: attempt.isRetry }
      const change = { call, attempt, dependencies, run: (inUnit: Dependencies) => run(inUnit, call) }
      try {
        const answer = await runInTransaction(change)
        await finish(change)
        return answer
      } catch (error) {
        await attempt.fail(em.fork(), error).catch(() => undefined)
        throw error
      }
    }
    return this.client(key, request, isFinal)
  }

  enroll(automationId: string, contactId: string, isFinal?: (error: Error) => boolean) {
    const call = newCall()
    const enroll = (dependencies: Dependencies, attempt: number) =>
      enrollContact(
        dependencies,
        this.ground.workspaceId,
        automationId,
        { contactId },
        { ...call, retried: attempt > 1 },
      )
    return this.client('enroll', enroll, isFinal)
  }

  setStatus(automationId: string, status: 'PAUSED' | 'ACTIVE') {
    return this.client(status, async (dependencies) => {
      const { automation } = await updateAutomation(dependencies.em, this.ground.workspaceId, automationId, { status })
      await waitForSendingMessages(dependencies.em, automation)
    })
  }
}
