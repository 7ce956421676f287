import { Client, Connection } from '@temporalio/client'
import { sql } from '../../../src/platform/db/sql.ts'
import { email, wait, Wrong, type Person, type Stage } from '../stage.ts'
import type { Story } from './story.ts'

const on = (eventName: string) => ({ trigger: 'EVENT', triggerConfig: { eventName } })

const fire = (stage: Stage, { id }: Person, name: string, data: object = {}) =>
  stage.ask('POST', `/contacts/${id}/events`, { name, data })

const haveStatuses = (stage: Stage, person: Person, ...expected: string[]) =>
  stage.soon(`the enrollments are ${expected.join(', ')}`, async () => {
    const statuses = (await stage.enrollmentsOf(person)).map(({ status }) => status)
    return statuses.toSorted().join() === expected.toSorted().join()
  })

const waitsForEvent = (stage: Stage, { id }: Person) =>
  stage.soon('the contact waits for the event', async () => {
    const rows = await sql(
      stage.world.orm.em.fork(),
      `select from step_runs where contact_id = $1::uuid and event_key is not null and finished_at is null`,
      [id],
    )
    return rows.length > 0
  })

async function isRunning({ world }: Stage, workflowId: string): Promise<boolean> {
  const connection = await Connection.connect({ address: world.temporalAddress })
  try {
    return (await new Client({ connection }).workflow.getHandle(workflowId).describe()).status.name === 'RUNNING'
  } finally {
    await connection.close()
  }
}

/** Stories of exits, concurrency keys, conditions and entry rules. */
export const STEPS: Record<string, Story> = {
  'exit-during-a-wait': {
    what: 'an exit event ends an enrollment, and its workflow, during a wait',
    isApart: true,
    async play(stage) {
      const rules = { ...on('go'), exitOn: [{ eventName: 'paid' }] }
      const automation = await stage.automation([email('First'), wait(60), email('Second')], rules)
      const person = await stage.person()
      await stage.fire(person)
      await stage.soon('the first email', async () => (await stage.messagesOf(person))[0]?.status === 'SENT')
      await fire(stage, person, 'paid')
      const [enrollment] = await stage.enrollmentsOf(person)
      if (enrollment?.status !== 'EXITED') throw new Wrong(`The enrollment is ${enrollment?.status} after the event`)
      await stage.soon(
        'the workflow ends',
        async () => !(await isRunning(stage, `enrollment:${automation}:${person.id}`)),
        20_000,
      )
    },
  },
  'exit-before-the-claim': {
    what: 'an exit event is acknowledged while the mail server waits for an email',
    async play(stage) {
      await stage.automation([email('Hello')], { ...on('go'), exitOn: [{ eventName: 'paid' }] })
      const person = await stage.person()
      const standing = await stage.meet('worker: DATA begun, before claim', () => stage.fire(person))
      await fire(stage, person, 'paid')
      standing.go()
      await stage.never('An email was claimed after the exit', () => stage.taken(person).length > 0)
      await haveStatuses(stage, person, 'EXITED')
    },
  },
  'orders-with-keys': {
    what: 'two orders of a contact each send a receipt, and the cancellation of one does not end the other',
    isApart: true,
    async play(stage) {
      const forShipping = {
        type: 'WAIT_FOR_EVENT',
        eventName: 'shipped',
        timeoutMinutes: 60,
        received: [],
        timedOut: [],
      }
      await stage.automation([email('{{ event.data.orderId }}'), forShipping], {
        ...on('placed'),
        entry: { concurrency: { key: 'event.data.orderId' } },
        exitOn: [{ eventName: 'cancelled' }],
      })
      const person = await stage.person()
      for (const orderId of ['A-1', 'A-2']) await fire(stage, person, 'placed', { orderId })
      await stage.soon('both receipts', () => stage.taken(person).length === 2)
      await haveStatuses(stage, person, 'ACTIVE', 'ACTIVE')
      await fire(stage, person, 'cancelled', { orderId: 'A-1' })
      await haveStatuses(stage, person, 'ACTIVE', 'EXITED')
      await fire(stage, person, 'shipped', { orderId: 'A-1' })
      await stage.never(
        'An event of another order ended a wait',
        async () => (await stage.enrollmentsOf(person)).some(({ status }) => status === 'COMPLETED'),
        1_000,
      )
      await fire(stage, person, 'shipped', { orderId: 'A-2' })
      await haveStatuses(stage, person, 'COMPLETED', 'EXITED')
    },
  },
  'condition-when-it-is-reached': {
    what: 'a condition is evaluated when its step is reached, and not when the contact enters',
    isApart: true,
    async play(stage) {
      const plan = (value: string, steps: object[]) => ({
        name: value,
        if: { metadata: 'plan', is: 'equal', value },
        steps,
      })
      await stage.automation([
        { type: 'WAIT_FOR_EVENT', eventName: 'upgraded', timeoutMinutes: 60, received: [], timedOut: [] },
        { type: 'CONDITION', branches: [plan('free', [email('Free')]), plan('pro', [email('Pro')])] },
      ])
      const person = await stage.person()
      await stage.ask('PATCH', `/contacts/${person.id}`, { metadata: { plan: 'free' } })
      await stage.fire(person)
      await waitsForEvent(stage, person)
      await stage.ask('PATCH', `/contacts/${person.id}`, { metadata: { plan: 'pro' } })
      await fire(stage, person, 'upgraded')
      await stage.completed(person)
      await stage.mailedOnce(person)
      if (stage.taken(person, 'Pro').length !== 1) throw new Wrong('The contact took the branch of their former plan')
    },
  },
  'enters-once': {
    what: 'a contact who may enter once does not enter again after the end',
    isApart: true,
    async play(stage) {
      await stage.automation([email('Welcome')], { ...on('go'), entry: { reentry: 'ONCE' } })
      const person = await stage.person()
      await stage.fire(person)
      await stage.completed(person)
      const { body } = await stage.fire(person)
      if ((body.data['refused'] as unknown[]).length !== 1) throw new Wrong('The event is not counted as excluded')
      await stage.never('The contact entered again', async () => (await stage.enrollmentsOf(person)).length > 1)
      await stage.mailedOnce(person)
    },
  },
}
