import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, Wrong, type Person, type Stage } from '../stage.ts'
import type { Story } from './story.ts'

/** Milliseconds after a fault within which the service recovers without help. */
const FULL_SERVICE_MS = 10_000
/** Number of concurrent clients. */
const CLIENTS = 8

/** The result of one request. */
interface Reply {
  at: number
  /** The HTTP status, or 0 if there was no response. */
  status: number
}

/** Constant traffic that enrolls, changes and reads; it repeats nothing. */
class Traffic {
  readonly received: Reply[] = []
  readonly enrolled: Person[] = []
  private running = true
  private readonly ended: Promise<unknown>

  constructor(stage: Stage, automation: string, other: string) {
    const client = async (n: number) => {
      for (let call = 0; this.running; call += 1) {
        const address = stage.nextEmail()
        const person = await this.call(stage, 'POST', '/contacts', { email: address })
        const id = person?.['id'] as string | undefined
        if (id !== undefined) {
          const done = await this.call(stage, 'POST', `/automations/${automation}/enroll`, { contactId: id })
          if (done?.['enrolled'] === true) this.enrolled.push({ id, email: address })
        }
        await this.call(stage, 'PATCH', `/automations/${n % 2 === 0 ? automation : other}`, { name: `Call ${call}` })
        await this.call(stage, 'GET', '/contacts?limit=5')
        await delay(20)
      }
    }
    this.ended = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)))
  }

  async stop(): Promise<void> {
    this.running = false
    await this.ended
  }

  private async call(stage: Stage, method: string, path: string, body?: object) {
    const answer = await stage.once(method, path, body)
    this.received.push({ at: Date.now(), status: answer?.status ?? 0 })
    return answer && answer.status < 300 ? answer.body.data : undefined
  }

  /** Returns the milliseconds from an instant to the last unsuccessful response. */
  trouble(since: number): number {
    return Math.max(
      0,
      ...this.received
        .filter(({ at, status }) => at > since && (status === 0 || status >= 300))
        .map(({ at }) => at - since),
    )
  }

  tally(): string {
    const counts = Map.groupBy(this.received, ({ status }) => status)
    return [...counts]
      .map(([status, { length }]) => `${status || 'no response'}: ${length}`)
      .toSorted()
      .join(', ')
  }
}

/** Returns sessions of the product that are idle in a transaction or wait for a lock. */
const stuckSessions = (stage: Stage) =>
  sql<{ state: string; query: string }>(
    stage.world.orm.em.fork(),
    `select state, left(query, 100) as query from pg_stat_activity
     where datname = current_database() and application_name = 'dripline'
       and (state like 'idle in transaction%' or wait_event_type = 'Lock')
       and clock_timestamp() - state_change > interval '1 second'`,
  )

async function under(stage: Stage, faults: (traffic: Traffic) => Promise<void>): Promise<void> {
  const automation = await stage.automation([email('Hello')])
  const other = await stage.automation([email('Other')], { trigger: 'EVENT', triggerConfig: { eventName: 'other' } })
  const traffic = new Traffic(stage, automation, other)
  await delay(3_000)
  await faults(traffic)
  await traffic.stop()
  await stage.soon(
    'all acknowledged contacts get their email',
    async () => {
      const statuses = await Promise.all(traffic.enrolled.slice(-500).map((person) => stage.enrollmentsOf(person)))
      return statuses.every((rows) => rows.length === 1 && rows[0]!.status === 'COMPLETED')
    },
    120_000,
  )
  const taken = Map.groupBy(
    stage.world.accepted().filter(({ kind }) => kind === 'accepted'),
    ({ to }) => to,
  )
  stage.note(`responses ${traffic.tally()}; ${traffic.enrolled.length} enrolled`)
  for (const person of traffic.enrolled) {
    const times = taken.get(person.email)?.length ?? 0
    const [message] = times === 1 ? [] : await stage.messagesOf(person)
    if (times > 1 || (times === 0 && message?.status !== 'UNCONFIRMED'))
      throw new Wrong(`${person.email} got ${times} emails (${message?.status})`)
  }
  const stuck = await stuckSessions(stage)
  if (stuck.length > 0) throw new Wrong(`Sessions are stuck: ${JSON.stringify(stuck)}`)
  const wrong = traffic.received.filter(({ status }) => status === 500)
  if (wrong.length > 0) throw new Wrong(`${wrong.length} responses were a 500`)
}

/** Checks that the service recovers in time and stays available. */
async function fullService(stage: Stage, traffic: Traffic, since: number, after: string): Promise<void> {
  await delay(FULL_SERVICE_MS + 5_000)
  const trouble = traffic.trouble(since)
  stage.note(`${after}: the last unsuccessful response came ${trouble} ms later`)
  if (trouble > FULL_SERVICE_MS)
    throw new Wrong(`${after}: the service recovered after ${trouble} ms, not within ${FULL_SERVICE_MS / 1000} s`)
}

const frozen = (seconds: number): Story => ({
  what: `Postgres is stopped for ${seconds} s during PATCH, enroll and sending, and the service recovers within 10 s`,
  play: (stage) =>
    under(stage, async (traffic) => {
      await stage.world.freezePostgres(seconds * 1000)
      await fullService(stage, traffic, Date.now(), `Frozen for ${seconds} s`)
    }),
})

/** Stories of sessions with Postgres. */
export const POSTGRES: Record<string, Story> = {
  'postgres-backends-ended': {
    what: 'backends of Postgres are ended 200 times during PATCH, enroll and sending',
    play: (stage) =>
      under(stage, async (traffic) => {
        for (let n = 0; n < 200; n += 1) {
          await stage.world.endSessions()
          await delay(stage.random.between(20, 300))
        }
        await fullService(stage, traffic, Date.now(), 'Ended 200 times')
      }),
  },
  'postgres-frozen-10-s': frozen(10),
  'postgres-frozen-30-s': frozen(30),
  'postgres-frozen-2-min': frozen(120),
}
