import { createSendRequest } from '../steps/index.ts'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from '@temporalio/worker'
import { createActivities } from '../../activities/index.ts'
import { createLinks } from '../signed-links/index.ts'
import {
  settleBounceDomain,
  agreeOnMail,
  agreeOnPublicUrl,
  agreeOnSender,
  assertTemporalBinding,
  mailModeOf,
  readLinkSecret,
  watchSendingGate,
  type SendNotice,
} from '../instance/index.ts'
import { isLocal as isLocalServer, isOnThisMachine, readSmtpUrl } from '../smtp/index.ts'
import { connectWorker } from '../temporal/connect-worker.ts'
import { ensureSearchAttributes } from '../temporal/search-attributes.ts'
import { bundleWorkflows, createSendingWorker, createWorker } from '../temporal/worker.ts'
import { startEmailQueue } from '../emails/index.ts'
import { startRelay } from '../relay/index.ts'
import { createSecrets } from '../platform/secrets.ts'
import { startWebhookDeliveries } from '../webhooks/index.ts'
import { createWebhookMail } from './webhook-mail.ts'
import { isTraced, type Context } from './context.ts'
import { startBounceListener } from './bounce-listener.ts'
import { createWorkersMail, mailServersOf } from './mail.ts'
import { createPasswordResetMail } from './password-reset-mail.ts'
import { createInvitationMail } from './invitation-mail.ts'
import { createResetDoneMail } from './reset-done-mail.ts'
import { createPauseMail } from './pause-mail.ts'
import type { RunningService } from './running-service.ts'
import { readConfiguredTemporalBinding } from './temporal-namespace.ts'

/** Starts the worker and the outbox relay. Waits for Temporal without a time limit, unless aborted. */
export async function startWorker(
  context: Context,
  bundle?: Promise<{ code: string }>,
  aborted: AbortSignal = new AbortController().signal,
): Promise<RunningService & { mailFrom: string }> {
  const { config, log, dependencies, instance, temporal, health } = context
  const code = config.WORKFLOW_BUNDLE ? { codePath: resolve(config.WORKFLOW_BUNDLE) } : (bundle ?? bundleWorkflows())
  const { TEMPORAL_ADDRESS: address, TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS: tls } = config
  const onWait = (reason: string) =>
    log.warn({ address, reason }, 'Temporal is not reachable yet; the worker waits for it. Check TEMPORAL_ADDRESS.')
  const [workflowBundle, connection] = await Promise.all([
    code,
    connectWorker({ address, apiKey, tls, onWait }, aborted),
  ])
  await ensureSearchAttributes(temporal, config.TEMPORAL_NAMESPACE)
  await assertTemporalBinding(dependencies.em, await readConfiguredTemporalBinding(context))
  const smtp = config.SMTP_URL !== undefined
  const wanted = { smtp, capture: config.MAIL_CAPTURE }
  const delivers = mailModeOf(wanted) === 'smtp'
  // Check the sender first: a process that is rejected for lack of one must not switch the instance to delivery.
  const mailFrom = await agreeOnSender(dependencies.em, log, { mailFrom: config.MAIL_FROM, delivers })
  const toThisMachine = config.SMTP_URL !== undefined && isOnThisMachine(readSmtpUrl(config.SMTP_URL))
  const isLocal = mailServersOf(config).every(isLocalServer)
  const settings = { publicUrl: config.PUBLIC_URL, delivers, toThisMachine, isLocal, port: config.PORT }
  const publicUrl = await agreeOnPublicUrl(dependencies.em, log, settings)
  const reads = config.BOUNCE_PORT !== undefined
  const bounceDomain = await settleBounceDomain(dependencies.em, { bounceDomain: config.BOUNCE_DOMAIN, reads })
  const links = createLinks(await readLinkSecret(dependencies.em), publicUrl, bounceDomain)
  await agreeOnMail(dependencies.em, wanted, log)
  const gate = await watchSendingGate(dependencies.em, { smtp, delivers, log })
  const bounces = await startBounceListener(context)
  const { tryServer, ...mail } = createWorkersMail(config, dependencies, { mailFrom, links })
  // Not awaited, because a server can take minutes to respond.
  void tryServer()
  const options = {
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    activities: createActivities({
      ...dependencies,
      ...mail,
      instance,
      connections: config.SMTP_CONNECTIONS,
      sendRequest: createSendRequest(config.webhookAllowedHosts),
    }),
    shutdownGraceMs: config.WORKER_SHUTDOWN_SECONDS * 1000,
    traced: isTraced(config),
  }
  const workers = await Promise.all([
    createWorker({ ...options, workflowBundle, cachedWorkflows: config.WORKFLOW_CACHE_SIZE }),
    createSendingWorker({ ...options, connections: config.SMTP_CONNECTIONS }),
  ])
  const runs = workers.map((worker) => worker.run())
  const emails = startEmailQueue({ ...dependencies, ...mail }, { connections: config.SMTP_CONNECTIONS })
  const memberMail = { ...dependencies, smtp: mail.smtp, mailFrom, publicUrl }
  const aboutWebhook = createWebhookMail(memberMail)
  const aboutPause = createPauseMail(memberMail)
  const ofReset = createPasswordResetMail(memberMail)
  const aboutReset = createResetDoneMail(memberMail)
  const ofInvitation = createInvitationMail(memberMail)
  const sendNotice: SendNotice = (notice) => {
    if (notice.kind === 'RESET_DONE') return aboutReset(notice)
    if (notice.kind === 'INVITATION') return ofInvitation(notice)
    if (notice.webhookId !== null) return aboutWebhook(notice)
    return notice.automationId === null && notice.campaignId === null ? ofReset(notice) : aboutPause(notice)
  }
  const relay = startRelay(dependencies, { sendNotice })
  const webhooks = startWebhookDeliveries(
    { ...dependencies, secrets: createSecrets(config.SECRETS_KEY) },
    { allowedHosts: config.webhookAllowedHosts },
  )
  const ended = Promise.race([Promise.all(runs), relay.ended, emails.ended, webhooks.ended]).then(() => undefined)
  log.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'The worker is ready')

  let stopped: Promise<void> | undefined
  health.watch(() => (stopped ? undefined : relay.problem()))
  health.watch(() => mail.renderer.problem())
  health.watch(() => gate.problem())
  health.watch(() => (stopped ? undefined : workers.map(whyNotWorking).find((reason) => reason !== undefined)))
  const stop = async () => {
    gate.stop()
    await bounces?.close()
    const graceMs = config.WORKER_SHUTDOWN_SECONDS * 1000
    const emailsEnded = emails.stop(graceMs)
    // Emails in flight are completed. Emails that wait for a connection are left to other workers.
    mail.smtp?.drain()
    // Queued rendering tasks are also left to other workers.
    await mail.renderer.close()
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    // Waits for all of them, even if one has failed, because the connection can only be closed afterwards.
    await Promise.allSettled([...runs, relay.stop(), emailsEnded, webhooks.stop(graceMs)])
    // Aborts the remaining transmissions and records their outcome.
    await mail.smtp?.close()
    await Promise.race([mail.leases.idle(), delay(FINAL_RECORD_MS, undefined, { ref: false })])
    await connection.close()
  }
  return {
    mailFrom,
    ended,
    stop: () => (stopped ??= stop()),
  }
}

/** Milliseconds that a stopping worker waits for Postgres to record the outcome of its last emails. */
const FINAL_RECORD_MS = 5_000

/** A worker that failed ends the process eventually, but it may hang without polling in the meantime. */
function whyNotWorking(worker: Worker): string | undefined {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus()
  const { taskQueue } = worker.options
  if (runState !== 'RUNNING') return `Temporal's worker for ${taskQueue} is ${runState}`
  if (workflowPollerState !== 'FAILED' && activityPollerState !== 'FAILED') return undefined
  return `Temporal's worker for ${taskQueue} stopped polling`
}
