import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { openMetrics } from '../../src/runtime/metrics.ts'

describe('the Grafana dashboard and the operations guide', () => {
  it('mention only existing metrics', async () => {
    const nowhere = { fork: () => ({}) } as unknown as EntityManager
    const { metrics, render } = openMetrics(nowhere)
    metrics.settled('SENT')
    metrics.answered({ method: 'GET', route: '/', status: 200, seconds: 0.1 })
    // The lag of timers is a metric of the workflow: see workflows/steps/wait.ts.
    const known = `${await render()} dripline_timer_lag dripline_timer_lag_bucket`
    for (const file of ['grafana-dashboard.json', 'operations.md']) {
      const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8')
      const names = new Set(text.match(/dripline_\w+[a-z]/g))
      assert.ok(names.size > 5)
      for (const name of names) assert.ok(known.includes(name), `${file}: ${name}`)
    }
  })
})
