import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, wait, Wrong } from '../stage.ts'
import type { Story } from './story.ts'

const HELLO = [email('Hello')]

/** Stories of how contacts enter. */
export const ENTERING: Record<string, Story> = {
  'fired-event': {
    what: 'an event starts the automations that it triggers',
    isApart: true,
    async play(stage) {
      await stage.automation(HELLO)
      const person = await stage.person()
      await stage.fire(person)
      await stage.soon('the email', () => stage.taken(person).length > 0, 20_000)
      await stage.completed(person)
      await stage.mailedOnce(person)
    },
  },
  'api-dies-before-it-delivers': {
    what: 'an API dies when an event is durable but not delivered; other contacts sign up in bulk',
    async play(stage) {
      await stage.automation(HELLO)
      await stage.automation(HELLO, { trigger: 'SIGNUP' })
      const person = await stage.person()
      await stage.soon('the email of the sign-up', () => stage.taken(person).length > 0)
      const standing = await stage.meet('api: committed, not delivered', () => stage.fire(person))
      process.kill(standing.pid, 'SIGKILL')
      const emails = Array.from({ length: 5 }, () => stage.nextEmail())
      await stage.ask('POST', '/contacts/bulk', { contacts: emails.map((address) => ({ email: address })) })
      const isThere = () =>
        stage.taken(person).length === 2 &&
        emails.every((address) => stage.taken({ id: '', email: address }).length === 1)
      await stage.soon('all contacts get their email', isThere, 20_000)
    },
  },
  'temporal-away': {
    what: 'events are fired and contacts enrolled while Temporal is unavailable',
    async play(stage) {
      const { proxies } = stage.world
      await stage.automation(HELLO)
      const called = await stage.automation(HELLO, { trigger: 'EVENT', triggerConfig: { eventName: 'other' } })
      const [fired, enrolled] = [await stage.person(), await stage.person()]
      const key = stage.client.newIdempotencyKey()
      const enroll = () => stage.once('POST', `/automations/${called}/enroll`, { contactId: enrolled.id }, key)
      await proxies.setEnabled('temporal', false)
      try {
        const [event, call] = await Promise.all([stage.fire(fired), enroll()])
        if (event.status !== 202) throw new Wrong(`The event was answered with ${event.status}`)
        if (call && call.status < 300) throw new Wrong('An enrollment was acknowledged while Temporal was unavailable')
        await delay(1_500)
      } finally {
        await proxies.setEnabled('temporal', true)
      }
      await stage.ask('POST', `/automations/${called}/enroll`, { contactId: enrolled.id }, key)
      await stage.soon(
        'both contacts get their email',
        () => [fired, enrolled].every((person) => stage.taken(person).length > 0),
        30_000,
      )
      for (const person of [fired, enrolled]) {
        await stage.completed(person)
        await stage.mailedOnce(person)
      }
    },
  },
  'started-and-not-answered': {
    what: 'an API dies after it has started an enrollment, and its client repeats the request',
    async play(stage) {
      const automation = await stage.automation(HELLO)
      const person = await stage.person()
      const point = stage.random.pick([
        'api: before start',
        'api: after start',
        'api: after record',
        'api: done, answer not kept',
      ])
      let answer: Promise<{ body: { data: Record<string, unknown> } }> | undefined
      const standing = await stage.meet(point, () => (answer = stage.enroll(automation, person)))
      process.kill(standing.pid, 'SIGKILL')
      const { body } = await answer!
      if (body.data['enrolled'] !== true)
        throw new Wrong(`Killed at "${point}", the repeated request returned no enrollment`)
      await stage.completed(person)
      await stage.mailedOnce(person)
    },
  },
  'behind-the-ledger': {
    what: 'an event arrives at a waiting workflow whose enrollment has ended, because Temporal was restored from a backup',
    async play(stage) {
      await stage.automation([email('First'), wait(60), email('Second')])
      const person = await stage.person()
      await stage.fire(person)
      const hasFinal = (count: number) => async () =>
        (await stage.messagesOf(person)).filter(({ status }) => status === 'SENT').length === count
      await stage.soon('the first email', hasFinal(1))
      await sql(
        stage.world.orm.em.fork(),
        `update enrollments set status = 'COMPLETED', ended_at = now(), wakes_at = null where contact_id = $1::uuid`,
        [person.id],
      )
      await stage.fire(person)
      await stage.soon('another enrollment begins', hasFinal(2))
    },
  },
  'delivered-again-after-the-end': {
    what: 'an event that an enrollment has processed is delivered again after the end of the enrollment',
    async play(stage) {
      await stage.automation(HELLO)
      const person = await stage.person()
      const sending = await stage.meet('worker: before complete', () => stage.fire(person))
      const release = stage.controller.holdAll('relay: leased')
      try {
        // Its API dies after Temporal has it, and before the delivery is marked as completed.
        const { pid } = await stage.meet('api: delivered', () => stage.fire(person))
        process.kill(pid, 'SIGKILL')
        // Temporal delivers the signal to a workflow that waits for a local activity when that requests more time.
        await delay(11_000)
        sending.go()
        await stage.completed(person)
      } finally {
        release()
      }
      await stage.never(
        'A processed event has started the automation again',
        () => stage.taken(person).length > 1,
        6_000,
      )
    },
  },
  'fired-into-a-run-with-nothing-to-do': {
    what: 'an event arrives at a run that was started by another event that was delivered twice',
    async play(stage) {
      await stage.automation(HELLO)
      const person = await stage.person()
      const { pid } = await stage.meet('api: delivered', () =>
        stage.once('POST', `/contacts/${person.id}/events`, { name: 'go' }),
      )
      process.kill(pid, 'SIGKILL')
      await stage.soon('the first email', () => stage.taken(person).length > 0)
      await stage.completed(person)
      const again = stage.controller.meet(['worker: before begin'], 30_000)
      const standing = await again
      if (!standing) throw new Error('The event was not delivered again')
      const release = stage.controller.holdAll('worker: before begin')
      try {
        await stage.fire(person)
      } finally {
        release()
        standing.go()
      }
      await stage.soon('the second event is processed', () => stage.taken(person).length === 2)
    },
  },
}
