import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, Wrong, type Person, type Stage } from '../stage.ts'
import { SLOW_MAIL_MS } from '../world.ts'
import type { Story } from './story.ts'

const PEOPLE = 110
/** Connections to the mail server of both workers. */
const CONNECTIONS = 10

/** Enrolls many contacts in an automation of one email while the mail server is slow. */
async function crowd(stage: Stage): Promise<{ automation: string; people: Person[] }> {
  stage.world.setMail({ takesMs: SLOW_MAIL_MS })
  const automation = await stage.automation([email('Hello')])
  const people: Person[] = []
  for (let n = 0; n < PEOPLE; n += 10) {
    people.push(...(await Promise.all(Array.from({ length: 10 }, () => stage.person()))))
  }
  for (let n = 0; n < PEOPLE; n += 10) {
    await Promise.all(people.slice(n, n + 10).map((person) => stage.enroll(automation, person)))
  }
  return { automation, people }
}

/** Waits until enough messages were accepted that the others are in flight. */
const underWay = (stage: Stage, people: readonly Person[]) =>
  stage.soon('the mail server is busy with them', () => takenOf(stage, people) >= 2 * CONNECTIONS, 60_000)

const takenOf = (stage: Stage, people: readonly Person[]): number => {
  const all = new Set(people.map((person) => person.email))
  return stage.world.accepted().filter((entry) => entry.kind === 'accepted' && all.has(entry.to)).length
}

/** Counts the messages in each status. */
async function tally(stage: Stage, automation: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }>(
    stage.world.orm.em.fork(),
    'select status, count(*)::integer as count from messages where automation_id = $1::uuid group by status',
    [automation],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const allDone = (stage: Stage, automation: string) =>
  stage.soon(
    'all contacts complete the automation',
    async () => {
      const rows = await sql(
        stage.world.orm.em.fork(),
        `select from enrollments where automation_id = $1::uuid and status = 'COMPLETED'`,
        [automation],
      )
      return rows.length === PEOPLE
    },
    360_000,
  )

const notTwice = (stage: Stage, people: readonly Person[]) => {
  for (const person of people) {
    if (stage.taken(person).length > 1) throw new Wrong(`${person.email} got two emails`)
  }
}

/** Stories with a mail server that takes six seconds for each message. */
export const SLOW_SERVER: Record<string, Story> = {
  'slow-server-sigterm': {
    what: 'both workers are stopped gracefully while the mail server is slow: no message is UNCONFIRMED, and each contact gets one email',
    async play(stage) {
      const { automation, people } = await crowd(stage)
      await underWay(stage, people)
      stage.world.signal('worker', 'SIGTERM')
      await allDone(stage, automation)
      const statuses = await tally(stage, automation)
      stage.note(`accepted ${takenOf(stage, people)}, ${JSON.stringify(statuses)}`)
      notTwice(stage, people)
      if (statuses['SENT'] !== PEOPLE) throw new Wrong(`Of ${PEOPLE}: ${JSON.stringify(statuses)}`)
    },
  },
  'slow-server-kill': {
    what: 'both workers are killed while the mail server is slow: at most as many messages are UNCONFIRMED as there are connections',
    async play(stage) {
      const { automation, people } = await crowd(stage)
      await underWay(stage, people)
      stage.world.signal('worker', 'SIGKILL')
      await allDone(stage, automation)
      const statuses = await tally(stage, automation)
      stage.note(`accepted ${takenOf(stage, people)}, ${JSON.stringify(statuses)}`)
      notTwice(stage, people)
      const { SENT = 0, UNCONFIRMED = 0 } = statuses
      if (UNCONFIRMED > CONNECTIONS || SENT + UNCONFIRMED !== PEOPLE)
        throw new Wrong(`Of ${PEOPLE}: ${JSON.stringify(statuses)}`)
    },
  },
  'slow-server-delete': {
    what: 'an automation is deleted while the mail server is slow: no email is sent after the response',
    async play(stage) {
      const { automation, people } = await crowd(stage)
      await underWay(stage, people)
      const requestedAt = Date.now()
      const { at } = await stage.deleteAutomation(automation)
      await delay(3 * SLOW_MAIL_MS)
      stage.note(`answered after ${at - requestedAt} ms, accepted ${takenOf(stage, people)}`)
      for (const person of people) stage.nothingSince(person, at, 'the DELETE')
    },
  },
  'slow-server-erasure': {
    what: 'all contacts are erased while the mail server is slow: no email is sent after each response',
    async play(stage) {
      const { automation, people } = await crowd(stage)
      await underWay(stage, people)
      const startedAt = Date.now()
      const answers = await Promise.all(people.map((person) => stage.erase(person)))
      const longest = Math.max(...answers.map(({ at }) => at)) - startedAt
      await delay(3 * SLOW_MAIL_MS)
      stage.note(`the last response came after ${longest} ms, accepted ${takenOf(stage, people)}`)
      people.forEach((person, n) => stage.nothingSince(person, answers[n]!.at, 'the erasure'))
      const left = await tally(stage, automation)
      if (Object.keys(left).length > 0) throw new Wrong(`Data of erased contacts is left: ${JSON.stringify(left)}`)
    },
  },
}
