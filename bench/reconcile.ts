import { reconcile } from '../src/relay/reconcile.ts'
import { sql } from '../src/platform/db/sql.ts'
import { timed, type Benchmark } from './compare.ts'
import { sleepers, SLEEPERS, SLEEPERS_IN_WORDS } from './sleepers.ts'

/** Comparing the database with Temporal, with a running worker ÷ reading both. */
export const reconciling: Benchmark = {
  name: 'reconcile',
  title: `a reconciliation of ${SLEEPERS_IN_WORDS} running enrollments, with a worker ÷ reading the IDs of both sides`,
  goal: { atMost: 3 },
  unit: 's',
  async prepare(note) {
    const { service } = await sleepers()
    const { dependencies, temporal, orm } = service.context
    let slowest = 0
    return {
      async ours() {
        const seconds =
          (await timed(async () => {
            const { active, differences, failed } = await reconcile(dependencies)
            if (active < SLEEPERS || failed > 0) throw new Error(`${active} are ACTIVE, and ${failed} failed`)
            if (differences.length > SLEEPERS / 100) throw new Error(`${differences.length} differ`)
          })) / 1_000
        slowest = Math.max(slowest, seconds)
        return seconds
      },
      bare: async () =>
        (await timed(async () => {
          const ids: string[] = []
          const query = `WorkflowType = 'enrollment' and ExecutionStatus = 'Running'`
          for await (const { workflowId } of temporal.workflow.list({ query, pageSize: 1_000 })) ids.push(workflowId)
          await sql(orm.em.fork(), `select id from enrollments where status = 'ACTIVE'`)
          if (ids.length < SLEEPERS) throw new Error(`Temporal lists ${ids.length}`)
        })) / 1_000,
      close() {
        note(`The slowest took ${slowest.toFixed(1)} s; the limit is two minutes.`)
        return Promise.resolve()
      },
    }
  },
}
