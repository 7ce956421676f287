/**
 * `BENCH_SLEEPERS=5000 npx node bench/move.ts`: enrolls contacts who wait for a year, publishes a longer wait with MOVE, and prints how long it
 * takes until all are moved, beside the time it took to enroll them, and beside the bare alternative: signals that change nothing, each of
 * which costs a workflow task. BENCH_KILLS kills the worker that often, in equal intervals of BENCH_KILL_SECONDS.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import { stateQuery, wakeSignal } from '../src/automation-engine/index.ts'
import { sql } from '../src/platform/db/sql.ts'
import { eventually } from '../test/support/eventually.ts'
import { stopServices } from '../test/support/servers.ts'
import { countEnrolled, SLEEPERS, startSleepers } from './sleepers.ts'

const KILLS = Number(process.env['BENCH_KILLS'] || 0)
const KILL_SECONDS = Number(process.env['BENCH_KILL_SECONDS'] || 5)
const PATIENCE_MS = 30 * 60_000

const started = performance.now()
const sleepers = await startSleepers(SLEEPERS)
const enrolledPerSecond = SLEEPERS / ((performance.now() - started) / 1_000)
const { service, automationId } = sleepers
const call = async (method: string, path: string, body?: unknown) =>
  (await service.call(method, `automations/${automationId}${path}`, body)).body.data as Record<string, unknown>

const [wait, email] = (await call('GET', ''))['steps'] as Record<string, unknown>[]
const steps = [{ ...wait, delayMinutes: 2 * Number(wait!['delayMinutes']) }, email]
const previewed = performance.now()
await call('POST', '/publish/preview', { steps })
const begun = performance.now()
await call('POST', '/publish', { steps, inside: 'MOVE' })
const killing = (async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await delay(KILL_SECONDS * 1_000)
    await sleepers.restartWorker()
  }
})()
await eventually(
  'all are moved',
  async () => ((await call('GET', '/move'))['status'] === 'FINISHED' ? true : undefined),
  PATIENCE_MS,
)
const seconds = (performance.now() - begun) / 1_000
await killing
console.log(
  `Preview of ${SLEEPERS}: ${((begun - previewed) / 1_000).toFixed(2)} s. ` +
    `Moved ${await countEnrolled(service, automationId)} in ${seconds.toFixed(1)} s: ${(SLEEPERS / seconds).toFixed(0)} per second. ` +
    `Enrolled ${enrolledPerSecond.toFixed(0)} per second, with the start of all processes`,
)
const enrolled = await sql<{ contact_id: string }>(
  service.context.orm.em.fork(),
  'select contact_id from enrollments where automation_id = $1::uuid',
  [automationId],
)
const { workflow } = service.context.temporal
const signalled = performance.now()
await pMap(
  enrolled,
  async ({ contact_id }) => {
    const handle = workflow.getHandle(`enrollment:${automationId}:${contact_id}`)
    await handle.signal(wakeSignal)
    // Answered after the workflow task.
    await handle.query(stateQuery)
  },
  { concurrency: 20 },
)
const bareSeconds = (performance.now() - signalled) / 1_000
console.log(`Bare signals: ${(enrolled.length / bareSeconds).toFixed(0)} per second`)
await sleepers.stop()
await stopServices()
