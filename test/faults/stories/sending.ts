import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import type { Standing } from '../controller.ts'
import { email, type Person, type Stage, wait, Wrong } from '../stage.ts'
import { PAST_EVERY_TIMEOUT_MS } from '../world.ts'
import type { Story } from './story.ts'

const HELLO = [email('Hello')]

/** Stories of one email in flight. */
export const SENDING: Record<string, Story> = {
  overtaken: {
    what: 'a worker that was stopped before its claim continues after another one has sent the email',
    async play(stage) {
      // A finished enrollment would send nothing in any case: these continue.
      const automation = await stage.automation([...HELLO, wait(1_000), email('Later')])
      const person = await stage.person()
      const standing = await stage.meet('worker: permit', () => stage.enroll(automation, person))
      process.kill(standing.pid, 'SIGSTOP')
      try {
        // Temporal may give the task to a poll of the stopped worker, and notices after ten seconds; more than once.
        await stage.soon('another worker sends the email', () => stage.taken(person).length > 0, 90_000)
      } finally {
        standing.go()
        process.kill(standing.pid, 'SIGCONT')
      }
      await stage.never('An email was sent twice', () => stage.taken(person).length > 1, 4_000)
      await stage.mailedOnce(person)
    },
  },
  'sender-dies': {
    what: 'a worker dies while it sends an email',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const point = stage.random.pick([
        'worker: claimed',
        'worker: before the message',
        'worker: before the end of DATA',
        'worker: DATA ended',
        'worker: answer read',
      ])
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      process.kill(standing.pid, 'SIGKILL')
      await stage.completed(person, 120_000)
      const taken = stage.taken(person).length
      const [message] = await stage.messagesOf(person)
      if (taken > 1) throw new Wrong(`Killed at "${point}", ${taken} emails were sent`)
      if (message?.status !== 'UNCONFIRMED')
        throw new Wrong(`Killed at "${point}", it is recorded as ${message?.status}`)
    },
  },
  'sender-naps': {
    what: 'a worker is stopped while it sends, for longer than Temporal waits for it, and continues within its lease',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const standing = await stage.meet('worker: claimed', () => stage.enroll(automation, person))
      const statuses = async () => (await stage.messagesOf(person)).map(({ status }) => status)
      process.kill(standing.pid, 'SIGSTOP')
      try {
        const isFinal = async () => (await statuses()).some((status) => status !== 'SENDING')
        await stage.never('A message was finalized whose sender may be alive', isFinal, 20_000)
      } finally {
        process.kill(standing.pid, 'SIGCONT')
        standing.go()
      }
      await stage.completed(person, 120_000)
      await stage.mailedOnce(person)
    },
  },
  'claim-without-an-answer': {
    what: 'the database has claimed an email, and its response is lost',
    async play(stage) {
      const { proxies } = stage.world
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      // Only COMMIT is left, so the claim is written although no response arrives.
      const point = 'worker: claim written, not committed'
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      await proxies.add('postgres', 'timeout')
      try {
        standing.go()
        const isClaimed = async () => (await stage.messagesOf(person)).length > 0
        await stage.soon('the claim reaches Postgres', isClaimed, 3_000)
        await delay(5_000)
      } finally {
        await proxies.remove('postgres', 'timeout')
      }
      await stage.completed(person, 120_000)
      await stage.mailedOnce(person)
    },
  },
  'answer-and-no-database': {
    what: 'the mail server has responded, and the database accepts no writes',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const point = stage.random.pick(['worker: answer read', 'worker: before record'])
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      const over = stage.random.next() < 0.5 ? stage.world.readOnly(5_000) : stage.world.away('postgres', 5_000)
      await delay(1_000)
      standing.go()
      await over
      await stage.completed(person, 120_000)
      await stage.mailedOnce(person)
    },
  },
  'past-its-lease': {
    what: 'a worker that was stopped past its lease continues when the automation is deleted, or the contact erased',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const standing = await stage.meet('worker: claimed', () => stage.enroll(automation, person))
      process.kill(standing.pid, 'SIGSTOP')
      const isDeleted = stage.random.next() < 0.5
      const { at } = await (isDeleted ? stage.deleteAutomation(automation) : stage.erase(person))
      standing.go()
      process.kill(standing.pid, 'SIGCONT')
      await delay(3_000)
      stage.nothingSince(person, at, isDeleted ? 'the DELETE' : 'the erasure')
    },
  },
  'past-every-timeout': {
    what: 'a worker is stopped anywhere while it sends, past every timeout',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const point = stage.random.pick([
        'worker: rendered',
        'worker: connected',
        'worker: claimed',
        'worker: answer read',
      ])
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      const frozen = stage.world.freeze(standing.pid, PAST_EVERY_TIMEOUT_MS)
      await delay(PAST_EVERY_TIMEOUT_MS - 500)
      standing.go()
      await frozen
      await stage.completed(person, 120_000)
      await delay(2_000)
      if (stage.taken(person).length > 1) throw new Wrong(`Frozen at "${point}", an email was sent twice`)
    },
  },
  waits: {
    what: 'a wait has its full length, and the email after it arrives',
    isApart: true,
    async play(stage) {
      const automation = await stage.automation([email('One'), wait(1), email('Two')])
      const person = await stage.person()
      await stage.enroll(automation, person)
      await stage.soon('the first email', () => stage.taken(person, 'One').length > 0)
      const [first] = stage.taken(person, 'One')
      await stage.completed(person, 80_000)
      await stage.mailedOnce(person, 2)
      const [second] = stage.taken(person, 'Two')
      const ms = second!.at - first!.at
      if (ms < 60_000) throw new Wrong(`A minute was over after ${ms} ms`)
    },
  },
  'opted-out-while-claimed': {
    what: 'an address is suppressed while the transaction that claims an email to it is open',
    async play(stage) {
      // The transactional email keeps the opt-out from ending the enrollment, whose row is locked below.
      const automation = await stage.automation([...HELLO, { ...email('Receipt'), category: 'transactional' }])
      const person = await stage.person()
      const point = 'worker: DATA begun, before claim'
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      const em = stage.world.orm.em.fork()
      const isAnsweredFirst = await em.transactional(async (unit) => {
        await sql(unit, 'select from enrollments where contact_id = $1::uuid for no key update', [person.id])
        standing.go()
        const isWaiting = async () =>
          (
            await sql(
              stage.world.orm.em.fork(),
              `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from enrollments%for no key update%'`,
            )
          ).length > 0
        await stage.soon('the claim waits', isWaiting, 3_000)
        const answer = stage.ask('POST', '/suppressions', { email: person.email, reason: 'UNSUBSCRIBED' })
        // An opt-out that waits for the claim is answered after it.
        return Promise.race([answer.then(() => true), delay(1_500, false)])
      })
      await stage.completed(person)
      if (isAnsweredFirst && stage.taken(person, 'Hello').length > 0)
        throw new Wrong('An email was sent after its recipient opted out')
    },
  },
  'late-answer': {
    what: 'a worker is stopped past its lease before it records that an email was sent: the message is UNCONFIRMED, and then SENT',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const standing = await stage.meet('worker: before record', () => stage.enroll(automation, person))
      await stoppedPastItsLease(stage, person, standing)
      const isSent = async () => (await statusesOf(stage, person)) === 'SENT'
      await stage.soon('the late response is recorded', isSent, 20_000)
      await stage.mailedOnce(person)
    },
  },
  'late-deferral': {
    what: 'a worker is stopped past its lease before it transmits: the message is UNCONFIRMED, and stays so',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const standing = await stage.meet('worker: claimed', () => stage.enroll(automation, person))
      await stoppedPastItsLease(stage, person, standing)
      const isChanged = async () => (await statusesOf(stage, person)) !== 'UNCONFIRMED'
      await stage.never('A message is DEFERRED that is never tried again', isChanged, 5_000)
    },
  },
  'answer-is-lost': {
    what: 'the mail server closes the connection instead of responding: the message is UNCONFIRMED',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      stage.world.setMail({ cuts: 1 })
      try {
        await stage.enroll(automation, person)
        await stage.completed(person)
      } finally {
        stage.world.setMail({ cuts: 0 })
      }
      const statuses = await statusesOf(stage, person)
      if (statuses !== 'UNCONFIRMED') throw new Wrong(`The message is ${statuses}`)
    },
  },
  'stopped-in-the-middle': {
    what: 'a worker is stopped past its lease in the middle of a large email, and the automation is deleted',
    async play(stage) {
      const automation = await stage.automation([{ ...email('Hello'), text: 'Some words. '.repeat(4_000) }])
      const person = await stage.person()
      const point = 'worker: before the end of DATA'
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      process.kill(standing.pid, 'SIGSTOP')
      const { at } = await stage.deleteAutomation(automation)
      standing.go()
      process.kill(standing.pid, 'SIGCONT')
      await delay(3_000)
      stage.nothingSince(person, at, 'the DELETE')
    },
  },
}

const statusesOf = async (stage: Stage, person: Person) =>
  (await stage.messagesOf(person)).map(({ status }) => status).join()

/** Stops a worker until its message is UNCONFIRMED. */
async function stoppedPastItsLease(stage: Stage, person: Person, { pid, go }: Standing): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    const isUnconfirmed = async () => (await statusesOf(stage, person)) === 'UNCONFIRMED'
    await stage.soon('another worker finds the lease expired', isUnconfirmed, 120_000)
    await stage.completed(person)
  } finally {
    go()
    process.kill(pid, 'SIGCONT')
  }
}
