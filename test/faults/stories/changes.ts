import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, wait, Wrong, type Person, type Stage } from '../stage.ts'
import type { Story } from './story.ts'

const BEFORE_CLAIM = 'worker: DATA begun, before claim'

const isPaused = (stage: Stage, person: Person) => async () =>
  (await stage.enrollmentsOf(person)).some(({ paused }) => paused)

/** Stories of pauses, deletions, erasures and repeated changes. */
export const CHANGES: Record<string, Story> = {
  'paused-before-the-claim': {
    what: 'a PATCH that pauses is acknowledged while the mail server waits for an email',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const person = await stage.person()
      const standing = await stage.meet(BEFORE_CLAIM, () => stage.enroll(automation, person))
      await stage.patch(automation, 'PAUSED')
      standing.go()
      await stage.never('An email was claimed while paused', () => stage.taken(person).length > 0)
      await stage.patch(automation, 'ACTIVE')
      await stage.completed(person)
      await stage.mailedOnce(person)
    },
  },
  'paused-elsewhere': {
    what: 'a worker that counts as dead claims after another one has paused the enrollment, and before the enrollment is woken',
    async play(stage) {
      const automation = await stage.automation([email('Hello'), email('Again')])
      const person = await stage.person()
      const standing = await stage.meet(BEFORE_CLAIM, () => stage.enroll(automation, person))
      process.kill(standing.pid, 'SIGSTOP')
      await stage.patch(automation, 'PAUSED')
      await stage.soon('another worker pauses the enrollment', isPaused(stage, person), 90_000)
      const release = stage.controller.holdAll('relay: walk leased')
      try {
        await stage.patch(automation, 'ACTIVE')
        standing.go()
        process.kill(standing.pid, 'SIGCONT')
        await stage.never('The worker that counts as dead has sent the email', () => stage.taken(person).length > 0)
      } finally {
        release()
      }
      await stage.completed(person)
      await stage.mailedOnce(person, 2)
    },
  },
  'unsubscribed-before-the-claim': {
    what: 'an address is suppressed while the mail server waits for an email to it: a later receipt is still sent',
    async play(stage) {
      const receipt = { ...email('Receipt'), category: 'transactional' }
      const automation = await stage.automation([email('Hello'), receipt])
      const person = await stage.person()
      const standing = await stage.meet(BEFORE_CLAIM, () => stage.enroll(automation, person))
      await stage.ask('POST', '/suppressions', { email: person.email, reason: 'UNSUBSCRIBED' })
      standing.go()
      await stage.completed(person)
      if (stage.taken(person, 'Hello').length > 0)
        throw new Wrong('An email was claimed after its address was suppressed')
      if (stage.taken(person, 'Receipt').length !== 1) throw new Wrong('The receipt did not arrive')
    },
  },
  'deleted-before-the-claim': {
    what: 'a DELETE is acknowledged while the mail server waits for an email',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const person = await stage.person()
      const standing = await stage.meet(BEFORE_CLAIM, () => stage.enroll(automation, person))
      // Its enrollments exist until the claim has read them.
      const release = stage.controller.holdAll('relay: walk leased')
      try {
        await stage.deleteAutomation(automation)
        standing.go()
        await stage.never('An email was claimed after the DELETE', () => stage.taken(person).length > 0)
      } finally {
        release()
      }
    },
  },
  'ended-before-the-claim': {
    what: 'an enrollment is ended while the mail server waits for an email',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const person = await stage.person()
      const standing = await stage.meet(BEFORE_CLAIM, () => stage.enroll(automation, person))
      await stage.ask('DELETE', `/automations/${automation}/enrollments/${person.id}`)
      standing.go()
      await stage.never('An email was claimed after its enrollment ended', () => stage.taken(person).length > 0)
    },
  },
  'deleted-beside-a-hand-over': {
    what: 'a DELETE arrives while an email is in flight',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const person = await stage.person()
      const point = stage.random.pick(['worker: claimed', 'worker: before the message'])
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      const answer = stage.deleteAutomation(automation)
      await delay(stage.random.between(1_000, 6_000))
      standing.go()
      const { at } = await answer
      await delay(2_000)
      stage.nothingSince(person, at, 'the DELETE')
    },
  },
  'erased-beside-a-hand-over': {
    what: 'a contact is erased while an email to it is in flight, and no data of it is left',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const person = await stage.person()
      const point = stage.random.pick(['worker: claimed', 'worker: before the message'])
      const standing = await stage.meet(point, () => stage.enroll(automation, person))
      const answer = stage.erase(person)
      await delay(stage.random.between(1_000, 6_000))
      standing.go()
      const { at } = await answer
      await delay(2_000)
      stage.nothingSince(person, at, 'the erasure')
      await stage.soon('no data of it is left', async () => (await stage.messagesOf(person)).length === 0, 20_000)
    },
  },
  'paused-and-woken': {
    what: 'a paused enrollment continues when the pause is over',
    async play(stage) {
      const automation = await stage.automation([email('One'), email('Two')])
      const person = await stage.person()
      const standing = await stage.meet('worker: before complete', () => stage.enroll(automation, person))
      await stage.patch(automation, 'PAUSED')
      standing.go()
      await stage.soon('the enrollment is paused', isPaused(stage, person))
      await stage.patch(automation, 'ACTIVE')
      await stage.completed(person, 20_000)
      await stage.mailedOnce(person, 2)
    },
  },
  'woken-while-paused': {
    what: 'a pause ends at the moment in which it pauses an enrollment',
    async play(stage) {
      const automation = await stage.automation([email('One'), email('Two')])
      const person = await stage.person()
      const point = 'worker: before complete'
      const first = await stage.meet(point, () => stage.enroll(automation, person))
      await stage.patch(automation, 'PAUSED')
      const second = await stage.meet(point, () => Promise.resolve(first.go()))
      await stage.patch(automation, 'ACTIVE')
      // Temporal delivers the signal to a workflow that waits for a local activity when that requests more time.
      await delay(11_000)
      second.go()
      await stage.completed(person, 20_000)
      await stage.mailedOnce(person, 2)
    },
  },
  'torn-down': {
    what: 'the enrollments of a deleted automation end',
    isApart: true,
    async play(stage) {
      const automation = await stage.automation([email('One'), wait(1_000), email('Two')])
      const people = await Promise.all([stage.person(), stage.person(), stage.person()])
      for (const person of people) await stage.enroll(automation, person)
      await stage.soon('the first emails', () => people.every((person) => stage.taken(person).length > 0))
      await stage.deleteAutomation(automation)
      const left = async () =>
        await sql(stage.world.orm.em.fork(), 'select from enrollments where automation_id = $1::uuid', [automation])
      await stage.soon('its enrollments end', async () => (await left()).length === 0, 25_000)
    },
  },
  'done-and-not-answered': {
    what: 'an API dies between the effect of a PATCH and its response; another client reverts the change; the PATCH is repeated',
    async play(stage) {
      const automation = await stage.automation([email('Hello')])
      const status = async () => (await stage.ask('GET', `/automations/${automation}`)).body.data['status']
      const path = `/automations/${automation}`
      const key = stage.client.newIdempotencyKey()
      const standing = await stage.meet('api: before answer', () =>
        stage.once('PATCH', path, { status: 'PAUSED' }, key),
      )
      process.kill(standing.pid, 'SIGKILL')
      const isDone = (await status()) === 'PAUSED'
      await stage.patch(automation, 'ACTIVE')
      await stage.ask('PATCH', path, { status: 'PAUSED' }, key)
      const after = await status()
      if (isDone && after === 'PAUSED') throw new Wrong('A PATCH took effect twice with one Idempotency-Key')
    },
  },
}
