import { someLinks } from './links.ts'
import { createSecrets, type Secrets } from '../../src/platform/secrets.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import type { Worker } from '@temporalio/worker'
import { resolveTestServer } from '../../scripts/temporal-test-server.ts'
import { createActivities } from '../../activities/index.ts'
import type { Orm } from '../../src/platform/db/orm.ts'
import { newId } from '../../src/platform/ids.ts'
import { createRenderer, type Renderer } from '../../src/rendering/renderer.ts'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import { createBulkhead } from '../../src/platform/bulkhead.ts'
import { createQueueLimit } from '../../src/outbox/dependencies.ts'
import { createImmediateDelivery } from '../../src/enrollments/deliver.ts'
import { MAX_RECORDS_PER_BATCH } from '../../src/enrollments/enroll-contact.ts'
import { createSendRequest } from '../../src/steps/index.ts'
import { createLeaseKeeper } from '../../src/messages/leases.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { instanceIdOf } from '../../src/instance/temporal-namespace.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { type AutomationInput, createAutomation } from '../../src/automations/automations.ts'
import { newCall } from '../../src/platform/call.ts'
import { upsertContact } from '../../src/contacts/upsert-contacts.ts'
import { noMetrics, type Dependencies } from '../../src/outbox/dependencies.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { createEnrollments } from '../../src/temporal/client.ts'
import { addSearchAttributes } from '../../src/temporal/search-attributes.ts'
import { createSendingWorker, createWorker } from '../../src/temporal/worker.ts'
import { createDatabase } from './database.ts'
import { quietLog } from './log.ts'
import { startSmtpSink, type ReceivedMail, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { workflowBundle } from './workflow-bundle.ts'

const TASK_QUEUE = 'time-skipping'

export interface TimeSkipping {
  env: TestWorkflowEnvironment
  orm: Orm
  dependencies: Dependencies
  workspaceId: string
  sink: SmtpSink
  renderer: Renderer
  secrets: Secrets
  /** The mails that the SMTP server received, with the environment's time. */
  mails: { mail: ReceivedMail; virtualTime: number }[]
  contact(): Promise<string>
  automation(steps: StepInput[], rules?: Partial<AutomationInput>): Promise<string>
  handle(
    automationId: string,
    contactId: string,
  ): ReturnType<TestWorkflowEnvironment['client']['workflow']['getHandle']>
  /**
   * Runs the worker of production while the work is done.
   *
   * @param cachedWorkflows 0 if another worker continues the workflows: the test server leaves their tasks to the first one
   * @param bundle the workflow code; by default that of production
   */
  whileWorking<Result>(
    work: () => Promise<Result>,
    cachedWorkflows?: number,
    bundle?: Awaited<ReturnType<typeof workflowBundle>>,
  ): Promise<Result>
  stop(): Promise<void>
}

const START_ATTEMPTS = 5

/**
 * Starts a time-skipping server. A suite has its own, because all clients of one server share its clock. The SDK waits only five
 * seconds for it, which is too short on a busy machine.
 */
export async function startTimeSkippingServer(): Promise<TestWorkflowEnvironment> {
  const executable = await resolveTestServer(process.env, () => undefined)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })
      // The test server can't list search attributes, only add them.
      await addSearchAttributes(env.client, 'default')
      return env
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
    }
  }
}

/** Starts workflows and activities of production, with real Postgres and real SMTP, in Temporal's time-skipping environment. */
export async function startTimeSkipping(): Promise<TimeSkipping> {
  const env = await startTimeSkippingServer()
  const { orm } = await createDatabase()
  const mails: TimeSkipping['mails'] = []
  const sink = await startSmtpSink(async (mail) => {
    mails.push({ mail, virtualTime: await env.currentTimeMs() })
  })
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
    enrollments: createEnrollments(env.client, TASK_QUEUE, instance),
    log: quietLog,
    metrics: noMetrics,
  }
  const workspaceId = (await createWorkspace(orm.em, { name: 'Test', mode: 'live' })).id

  return {
    env,
    orm,
    dependencies,
    workspaceId,
    sink,
    renderer,
    secrets,
    mails,
    async contact() {
      const id = newId()
      const email = `${id}@example.com`
      await upsertContact(dependencies, workspaceId, { email, firstName: 'Ada' }, { ...newCall(), id })
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
    handle: (automationId, contactId) => env.client.workflow.getHandle(`enrollment:${automationId}:${contactId}`),
    async whileWorking(work, cachedWorkflows = 500, bundle) {
      const leases = createLeaseKeeper(orm.em)
      const options = {
        connection: env.nativeConnection,
        namespace: 'default',
        taskQueue: TASK_QUEUE,
        activities: createActivities({
          ...dependencies,
          instance,
          smtp,
          renderer,
          sendRequest: createSendRequest(['127.0.0.1', 'localhost']),
          leases,
          store: createMessageStore(orm.em),
          mailFrom: 'Dripline <from@example.com>',
          links: someLinks,
          secrets,
          connections: 5,
          keepsRate: false,
        }),
        shutdownGraceMs: 2_000,
      }
      const worker: Worker = await createWorker({
        ...options,
        workflowBundle: bundle ?? (await workflowBundle()),
        cachedWorkflows,
      })
      const sender = await createSendingWorker({ ...options, connections: 5 })
      return worker.runUntil(sender.runUntil(work()))
    },
    async stop() {
      await smtp.close()
      await renderer.close()
      await sink.close()
      await orm.close(true)
      await env.teardown()
    },
  }
}
