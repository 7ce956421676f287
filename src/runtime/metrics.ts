import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { readOperationalStats } from '../relay/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Metrics } from '../outbox/index.ts'

export interface MetricsRegistry {
  metrics: Metrics
  /** Renders all metrics in the text format of Prometheus. Metrics from the database are read at this moment. */
  render: () => Promise<string>
}

/** The metrics of one process. Labels are few and never personal: routes, methods, statuses. */
export function openMetrics(em: EntityManager): MetricsRegistry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const of = { registers: [registry] }
  const requests = new Histogram({
    name: 'dripline_http_request_duration_seconds',
    help: 'Requests to the API by duration. Rate-limited requests have the status 429.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ...of,
  })
  const messages = new Counter({
    name: 'dripline_messages_total',
    help: 'Attempts to send an email, by outcome.',
    labelNames: ['status'],
    ...of,
  })
  const reconciled = new Counter({
    name: 'dripline_enrollments_reconciled_total',
    help: 'Enrollments that were ACTIVE without a workflow, by outcome: resumed or ended.',
    labelNames: ['outcome'],
    ...of,
  })
  // Initialized, because a series that appears with the value 1 does not count as an increase.
  for (const outcome of ['resumed', 'ended']) reconciled.inc({ outcome }, 0)
  const gauge = (name: string, help: string) => new Gauge({ name: `dripline_${name}`, help, ...of })
  const circuit = gauge(
    'mail_circuit_open',
    'Whether the mail server keeps failing, so that only one message at a time tries it.',
  )
  const pending = {
    enrolled: gauge('enrollments_enrolled', 'All enrollments of automations that still exist.'),
    completed: gauge('enrollments_completed', 'Enrollments of these automations that completed.'),
    paused: gauge('enrollments_paused', 'Enrollments that wait because their automation is paused.'),
    unconfirmed: gauge('messages_unconfirmed', 'Messages that may or may not have been sent.'),
    undelivered: gauge('trigger_events_undelivered', 'Trigger events that have not been delivered to Temporal yet.'),
    oldestUndelivered: gauge(
      'trigger_event_oldest_undelivered_seconds',
      'The age of the oldest undelivered trigger event.',
    ),
    changes: gauge(
      'changes_pending',
      'Changes of automations and erasures that have not been delivered to workflows yet.',
    ),
  }
  const up = gauge('database_up', 'Whether the database responded when the metrics were read.')

  return {
    metrics: {
      answered: ({ method, route, status, seconds }) =>
        requests.observe({ method, route: route ?? 'none', status: String(status) }, seconds),
      settled: (status) => messages.inc({ status }),
      reconciled: (outcome) => reconciled.inc({ outcome }),
      mailCircuitOpen: (open) => circuit.set(open ? 1 : 0),
    },
    async render() {
      try {
        const stats = await readOperationalStats(em.fork())
        for (const name of Object.keys(pending) as (keyof typeof pending)[]) pending[name].set(stats[name])
        up.set(1)
      } catch {
        up.set(0)
      }
      return registry.metrics()
    },
  }
}
