import { INITIAL_STATE } from '../src/automation-engine/machine-state.ts'
import pMap from 'p-map'
import { recordEnrollment } from '../src/enrollments/record-enrollment.ts'
import { sql } from '../src/platform/db/sql.ts'
import { newId } from '../src/platform/ids.ts'
import { anAutomation, wait } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from './service.ts'
import { startBareWorker } from './bare/worker.ts'
import { percentile, type Benchmark } from './compare.ts'
import { bareInput, makeContacts } from './load.ts'

const TIMERS = 1_000
/** Milliseconds before the first instant by which all timers are started, and between the instants of the two sides. */
const AHEAD_MS = 90_000
const APART_MS = 90_000

/** Lateness of the last of a thousand enrollments that wake up at one instant ÷ of bare timers. */
export const wake: Benchmark = {
  name: 'wake',
  title: '1,000 timers of one instant: p99 of lateness ÷ that of bare timers',
  goal: { atMost: 0.8 },
  unit: 'ms',
  async prepare() {
    const service = await startService({ env: { DATABASE_POOL_SIZE: '20' } })
    const { config, temporal, dependencies, orm } = service.context
    const em = () => orm.em.fork()
    await sql(em(), 'create table bare_ends (id uuid primary key, ended_at timestamptz not null)')
    const stopWorker = await startBareWorker(config, 'bare-wake', {
      noteEnd: async (id) => void (await sql(em(), 'insert into bare_ends values ($1::uuid, clock_timestamp())', [id])),
    })
    const contacts = await makeContacts(service, TIMERS, 'wake')

    /** Starts a thousand enrollments in a wait that ends at the instant, as if they had continued as new in it. */
    async function startOurs(wakeAt: number): Promise<() => Promise<number>> {
      const automationId = await anAutomation(service, { steps: [wait(60)] })
      const { body } = await service.call('GET', `automations/${automationId}`)
      const stepId = (body as { data: { steps: { id: string }[] } }).data.steps[0]!.id
      await pMap(
        contacts,
        async (contactId) => {
          const place = { automationId, contactId, concurrencyKey: '' }
          const enrollment = { id: newId(), ...place, dedupKey: null, triggerEventId: null }
          await recordEnrollment(em(), { ...enrollment, enrolledAt: new Date() })
          await dependencies.enrollments.start({
            automationName: 'Wake',
            requestId: null,
            input: {
              ...bareInput({ enrollmentId: enrollment.id, workspaceId: service.workspaceId, automationId, contactId }),
              clockAhead: 0,
              progress: {
                state: { ...INITIAL_STATE, stepId, waitingFor: 'time', wakeAt },
                received: [],
                receivedCount: 0,
              },
            },
          })
        },
        { concurrency: 20 },
      )
      return () =>
        lateness(wakeAt, 'select ended_at from enrollments where automation_id = $1::uuid and ended_at is not null', [
          automationId,
        ])
    }

    async function startBare(wakeAt: number): Promise<() => Promise<number>> {
      const ids = contacts.map(() => newId())
      await pMap(
        ids,
        (id) => temporal.workflow.start('bareTimer', { taskQueue: 'bare-wake', workflowId: id, args: [id, wakeAt] }),
        { concurrency: 20 },
      )
      return () => lateness(wakeAt, 'select ended_at from bare_ends where id = any($1::uuid[])', [ids])
    }

    async function lateness(wakeAt: number, query: string, parameters: unknown[]): Promise<number> {
      const rows = await eventually(
        'all are awake',
        async () => {
          const ended = await sql<{ ended_at: string }>(em(), query, parameters)
          return ended.length === TIMERS ? ended : undefined
        },
        120_000,
      )
      return percentile(
        rows.map((row) => new Date(row.ended_at).getTime() - wakeAt),
        0.99,
      )
    }

    return {
      // Both sides start before the first instant, and alternate in waking first.
      async pair(round) {
        const start = Date.now() + AHEAD_MS
        const oursAt = start + (round % 2 === 0 ? 0 : APART_MS)
        const bareAt = start + (round % 2 === 0 ? APART_MS : 0)
        const ours = await startOurs(oursAt)
        const bare = await startBare(bareAt)
        if (Date.now() > start) throw new Error('The timers were not all started before the first was due')
        const values = { ours: await ours(), bare: await bare() }
        const first = oursAt < bareAt ? values.ours : values.bare
        if (first > APART_MS) throw new Error('The first were not all awake before the second were due')
        return values
      },
      async close() {
        await stopWorker()
        await service.stop()
      },
    }
  },
}
