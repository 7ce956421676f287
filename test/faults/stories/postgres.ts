import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, Wrong, type Person, type Stage } from '../stage.ts'
import type { Story } from './story.ts'

/** How soon after a fault there is full service again, by itself, in milliseconds. */
const FULL_SERVICE_MS = 10_000
/** How many ask at a time. */
const CLIENTS = 8

/** What a client hears from one call. */
interface Heard {
  at: number
  /** 0 where there was no answer. */
  status: number
}

/** A service that is asked all the time: enrolled, changed and read; nothing is repeated. */
class Traffic {
  readonly received: Heard[] = []
  readonly enrolled: Person[] = []
  private going = true
  private readonly ended: Promise<unknown>

  constructor(stage: Stage, automation: string, other: string) {
    const client = async (n: number) => {
      for (let call = 0; this.going; call += 1) {
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
    this.going = false
    await this.ended
  }

  private async call(stage: Stage, method: string, path: string, body?: object) {
    const answer = await stage.once(method, path, body)
    this.received.push({ at: Date.now(), status: answer?.status ?? 0 })
    return answer && answer.status < 300 ? answer.body.data : undefined
  }

  /** From an instant on: how long it took until the last answer that was no success. */
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
      .map(([status, { length }]) => `${status || 'no answer'}: ${length}`)
      .toSorted()
      .join(', ')
  }
}

/** Sessions of the parts that sit in a transaction, or wait for a lock. */
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
    'everybody who was acknowledged is mailed',
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
  stage.note(`answers ${traffic.tally()}; ${traffic.enrolled.length} enrolled`)
  for (const person of traffic.enrolled) {
    const times = taken.get(person.email)?.length ?? 0
    const [message] = times === 1 ? [] : await stage.messagesOf(person)
    if (times > 1 || (times === 0 && message?.status !== 'UNCONFIRMED'))
      throw new Wrong(`${person.email} was mailed ${times} times (${message?.status})`)
  }
  const stuck = await stuckSessions(stage)
  if (stuck.length > 0) throw new Wrong(`Sessions are left: ${JSON.stringify(stuck)}`)
  const wrong = traffic.received.filter(({ status }) => status === 500)
  if (wrong.length > 0) throw new Wrong(`${wrong.length} answers were a 500`)
}

/** Full service, and stays so for a moment. */
async function fullService(stage: Stage, traffic: Traffic, since: number, after: string): Promise<void> {
  await delay(FULL_SERVICE_MS + 5_000)
  const trouble = traffic.trouble(since)
  stage.note(`${after}: the last answer that was no success came ${trouble} ms later`)
  if (trouble > FULL_SERVICE_MS)
    throw new Wrong(`${after}: no full service within ${FULL_SERVICE_MS / 1000} s, but after ${trouble} ms`)
}

const frozen = (seconds: number): Story => ({
  what: `Postgres is stopped for ${seconds} s under PATCH, enroll and sending, and there is full service within 10 s`,
  play: (stage) =>
    under(stage, async (traffic) => {
      await stage.world.freezePostgres(seconds * 1000)
      await fullService(stage, traffic, Date.now(), `Frozen for ${seconds} s`)
    }),
})

/** Stories of sessions with Postgres. */
export const POSTGRES: Record<string, Story> = {
  'postgres-backends-ended': {
    what: 'backends of Postgres are ended 200 times under PATCH, enroll and sending',
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
