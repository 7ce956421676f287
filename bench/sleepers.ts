import { sql } from '../src/platform/db/sql.ts'
import { anAutomation, EMAIL, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startApiProcess, startWorkerProcess, type ApiProcess, type Process } from '../test/support/processes.ts'
import { startService, type Service } from './service.ts'
import { makeContacts } from './load.ts'

/** Number of waiting enrollments. BENCH_SLEEPERS sets fewer for a quicker run. */
export const SLEEPERS = Number(process.env['BENCH_SLEEPERS'] || 20_000)
export const SLEEPERS_IN_WORDS = SLEEPERS.toLocaleString('en-US')
const YEAR = 365 * 1440
const PATIENCE_MS = 30 * 60_000

/** The service as processes, with this many enrollments in the middle of a wait of a year. */
export interface Sleepers {
  service: Service
  api: ApiProcess
  automationId: string
  /** Kills the worker, and starts another one. */
  restartWorker: () => Promise<Process>
  stop(): Promise<void>
}

/** Starts the service and enrolls contacts who then wait: bulk requests sign them up, which triggers an automation. */
export async function startSleepers(count: number, env: NodeJS.ProcessEnv = {}): Promise<Sleepers> {
  const service = await startService({ worker: false, env })
  const api = await startApiProcess(service)
  let worker = startWorkerProcess(service)
  const automationId = await anAutomation(service, { trigger: 'SIGNUP', steps: [wait(YEAR), EMAIL] })
  if (count > 0) await makeContacts(service, count, 'sleeper')
  await eventually(
    'all are waiting',
    async () => ((await countEnrolled(service, automationId)) === count ? true : undefined),
    PATIENCE_MS,
  )
  // Contacts who sign up later must not be enrolled.
  await service.call('PATCH', `automations/${automationId}`, { status: 'ARCHIVED' })
  return {
    service,
    api,
    automationId,
    async restartWorker() {
      await worker.kill()
      return (worker = startWorkerProcess(service))
    },
    async stop() {
      await worker.kill()
      await api.kill()
      await service.stop()
    },
  }
}

export async function countEnrolled({ context }: Service, automationId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    context.orm.em.fork(),
    'select count(*)::integer as count from enrollments where automation_id = $1::uuid',
    [automationId],
  )
  return row?.count ?? 0
}

let shared: Promise<Sleepers> | undefined

/** The 20,000 waiting enrollments, created once for all benchmarks that need them, because that takes minutes. */
export const sleepers = (): Promise<Sleepers> => (shared ??= startSleepers(SLEEPERS))

/** Stops them, if they were created. */
export async function stopSleepers(): Promise<void> {
  await (await shared)?.stop()
}
