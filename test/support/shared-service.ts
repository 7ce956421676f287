import { startSmtpSink, type ReceivedMail, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from './eventually.ts'
import { startInstance, type Instance } from './instance.ts'
import { serviceWithWorkspace, type Service } from './service.ts'

/** The origin of links in emails. */
export const PUBLIC_URL = 'https://mail.example.com'

type OnMail = (mail: ReceivedMail) => void | Promise<void>

/** With a worker, without one, or with a worker and links to the service itself, as a browser needs them. */
type Kind = 'worker' | 'no worker' | 'dashboard'

interface Shared {
  sink: SmtpSink
  instances: Map<Kind, Promise<Instance>>
}

let shared: Promise<Shared> | undefined
let onMail: OnMail | undefined

const start = async (): Promise<Shared> => ({
  sink: await startSmtpSink((mail) => onMail?.(mail)),
  instances: new Map(),
})

/**
 * Returns the service of this test process with a new workspace, so that suites do not see each other's contacts. The service starts
 * once and runs until the process ends.
 *
 * @param worker false for the service without a worker, which has its own database: nothing happens there unless the suite does it
 */
export const openWorkspace = async ({ worker = true }: { worker?: boolean } = {}): Promise<Service> =>
  (await open(worker ? 'worker' : 'no worker')).service

/** Returns a third service of the process with a new workspace and the mail server. A browser can use it at `http://127.0.0.1`. */
export const openDashboardWorkspace = (): Promise<ServiceAndSink> => open('dashboard')

async function open(kind: Kind): Promise<ServiceAndSink> {
  const { sink, instances } = await (shared ??= start())
  const env = {
    ...{ SMTP_URL: sink.url, SECRETS_KEY: 'k'.repeat(44), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
    ...(kind === 'dashboard' ? {} : { PUBLIC_URL }),
  }
  const started = instances.get(kind) ?? startInstance({ worker: kind !== 'no worker', env })
  instances.set(kind, started)
  const { context, port } = await started
  return { service: await serviceWithWorkspace(context, port), sink }
}

export interface ServiceAndSink {
  service: Service
  sink: SmtpSink
}

/**
 * Opens a workspace for a suite, together with the mail server that receives its mail. After each test, the mail server accepts mail
 * again.
 *
 * @param onMail is awaited before the mail server answers for a mail
 */
export function useServiceAndSink(
  assign: (opened: ServiceAndSink) => void,
  { onMail: onMailOfSuite, worker = true }: { onMail?: OnMail; worker?: boolean } = {},
): void {
  let sink: SmtpSink
  before(async () => {
    const opened = await open(worker ? 'worker' : 'no worker')
    ;({ sink } = opened)
    await captureMailOfOthers(opened.service)
    if (worker) await regainTrust(opened)
    sink.mails.length = 0
    onMail = onMailOfSuite
    assign(opened)
  })
  after(() => (onMail = undefined))
  afterEach(() => sink.behave('accept'))
}

/** Makes the workspaces of earlier suites capture their mail: a campaign may continue after its test. */
async function captureMailOfOthers({ context, workspaceId }: Service): Promise<void> {
  const em = context.orm.em.fork()
  await sql(em, `update workspaces set mode = 'test' where id <> $1::uuid`, [workspaceId])
  const inFlight = `select from messages where status = 'SENDING' and lease_until > now()`
  await eventually('no email is in flight', async () => (await sql(em, inFlight)).length === 0 || undefined)
}

/** Lets the worker deliver an email: after rejections of an earlier suite, it may take the next one for a fault of the mail server. */
async function regainTrust({ service: { context, port }, sink }: ServiceAndSink): Promise<void> {
  if (sink.rejections() === 0) return
  const other = await serviceWithWorkspace(context, port)
  await other.call('POST', 'emails', { to: 'trust@example.com', subject: 'Accepted', text: 'Accepted' })
  await eventually('the mail server has accepted an email', () => sink.rejections() === 0 || undefined)
}

/** Stops the service, so that the process can end. */
export async function stopSharedService(): Promise<void> {
  if (!shared) return
  const { sink, instances } = await shared
  for (const starting of instances.values()) await (await starting).stop()
  await sink.close()
}
