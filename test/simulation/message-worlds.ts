import { confirmRequest } from '../../src/consent/confirm.ts'
import { setPreferences } from '../../src/consent/preferences.ts'
import { suppressByCall } from '../../src/consent/suppress.ts'
import { advanceImport } from '../../src/imports/advance-import.ts'
import { createImport, getImport, startImport } from '../../src/imports/imports.ts'
import { uploadChunk } from '../../src/imports/upload.ts'
import { eraseContact } from '../../src/contacts/erase-contact.ts'
import { cancelEmail } from '../../src/emails/cancel-email.ts'
import { recipientIdOf } from '../../src/emails/email-source.ts'
import { queueEmail } from '../../src/emails/queue-emails.ts'
import { ERASURE } from '../../src/runtime/erasure.ts'
import { addToList } from '../../src/contacts/add-to-list.ts'
import { createList, updateList } from '../../src/lists/lists.ts'
import { retryOne } from '../../src/messages/retry.ts'
import { dismissOne } from '../../src/messages/unconfirmed-messages.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { aCampaign, KEPT_MS, move, PEOPLE, schedule } from './campaign-worlds.ts'
import type { Story } from './check-promise.ts'
import { type Fault, STALL_MS } from './scheduler.ts'
import type { Setting } from './setting.ts'
import type { World } from './world.ts'

const EMAIL = { type: 'EMAIL', subject: '1', text: 'x' } as const
const LONG_WAIT = { type: 'WAIT', delayMinutes: 5 } as const
const SECOND = { type: 'EMAIL', subject: '2', text: 'x' } as const

/** Waits until `count` messages have a status. @returns the oldest one, or `undefined` if that does not happen */
async function messageIn(
  world: World,
  status: string,
  { count = 1 } = {},
): Promise<{ id: string; email: string } | undefined> {
  for (let n = 0; n < 300; n += 1) {
    const rows = await sql<{ id: string; email: string }>(
      world.em,
      `select message.id, contact.email from messages message join contacts contact on contact.id = message.contact_id
       where message.status = $1 order by message.id`,
      [status],
    )
    if (rows.length >= count) return rows[0]
    await world.scheduler.pause(1_000)
  }
  return undefined
}

/** Matches the error of a request that came too late. */
const nothingLeft = (error: Error) =>
  /can be retried|changed in the meantime|can be dismissed|may arrive twice/.test(error.message)

function retry(world: World, messageId: string, evenIfSent: boolean) {
  const { workspaceId } = world.ground
  return world.client(
    'retry',
    (dependencies) => retryOne(dependencies, workspaceId, messageId, { evenIfSent }, newCall()),
    nothingLeft,
  )
}

function dismiss(world: World, messageId: string) {
  const { workspaceId } = world.ground
  return world.client(
    'dismiss',
    (dependencies) => dismissOne(dependencies.em, workspaceId, messageId).then(() => true),
    nothingLeft,
  )
}

const unsubscribe = (world: World, contactId: string) =>
  world.client('unsubscribe', (dependencies) =>
    setPreferences(dependencies, { contactId, originId: newId() }, { kind: 'nothing' }),
  )

/** Injects a fault into a statement, or a later one of its transaction. @returns whether it was reached within 20 s */
async function strikeNext(world: World, statement: RegExp, struck: RegExp, fault: Fault): Promise<boolean> {
  const { scheduler } = world
  const hold = scheduler.hold(statement)
  const action = await Promise.race([hold.reached, scheduler.pause(20_000)])
  if (action) scheduler.strike(action, struck, fault)
  hold.release()
  return action !== undefined
}

/** Injects a fault into the commit of the next claim. @returns whether there was a claim within 20 s */
const strikeClaim = (world: World, fault: Fault): Promise<boolean> =>
  strikeNext(world, /^SQL with given as \( select \*, case/, /^SQL commit/, fault)

/** The statement that records the outcomes of emails. */
const OUTCOME = /^SQL update messages message set status = given/

/** Events concurrent with a retry. @returns the steps between which no email may begin */
const BESIDE: Record<string, (world: World, automationId: string, contactId: string) => Promise<[number, number][]>> = {
  nothing: () => Promise.resolve([]),
  async pause(world, automationId) {
    const { at } = await world.setStatus(automationId, 'PAUSED')
    await world.scheduler.pause(world.scheduler.pick([0, 3_000, 20_000]))
    const until = world.scheduler.step
    await world.setStatus(automationId, 'ACTIVE')
    // A stalled API may still pause it after its client sent the request to another one.
    if (world.stopped('api')) {
      await world.scheduler.pause(STALL_MS)
      await world.setStatus(automationId, 'ACTIVE')
    }
    return [[at, until]]
  },
  async unsubscribe(world, _automationId, contactId) {
    const { at } = await unsubscribe(world, contactId)
    return [[at, Infinity]]
  },
}

const RECEIPT = { to: 'ada@example.com', subject: 'Receipt', text: 'x' } as const
/** Long enough that a stop arrives before a scheduled email is due, or afterwards. */
const SCHEDULED_MS = 10_000

/** Accepts a transactional email: by a request with an Idempotency-Key, or with an ID, like a mail over SMTP. */
function acceptEmail(
  world: World,
  { by, isScheduled, contactId }: { by: 'key' | 'id'; isScheduled: boolean; contactId: string | undefined },
) {
  const { workspaceId } = world.ground
  const scheduledAt = new Date(world.scheduler.now + SCHEDULED_MS).toISOString()
  const input = { ...RECEIPT, ...(isScheduled && { scheduledAt }) }
  if (by === 'id') {
    const id = newId()
    return world.client('email', (dependencies) => queueEmail(dependencies, workspaceId, input, id))
  }
  return world.keyed('email', async (dependencies, call) => {
    const {
      detail: { email },
    } = await queueEmail(dependencies, workspaceId, input, call.id)
    return { status: 202, body: { id: email.id }, contactId: recipientIdOf(workspaceId, RECEIPT.to, contactId) }
  })
}

const gone = (error: Error) => /not found/i.test(error.message)
const notCancellable = (error: Error) => /can be cancelled/.test(error.message)

/** Requests that stop a transactional email. The answer is `undefined` if it came too late. */
const EMAIL_STOPS = {
  cancelled: (world: World, id: string) =>
    world.client(
      'cancel',
      (dependencies) => cancelEmail(dependencies, world.ground.workspaceId, id).then(() => true),
      notCancellable,
    ),
  suppressed: (world: World) =>
    world.client('suppress', (dependencies) =>
      suppressByCall(dependencies, world.ground.workspaceId, { email: RECEIPT.to, reason: 'MANUAL' }, newCall()).then(
        () => true,
      ),
    ),
  erased: (world: World, _id: string, contactId: string | undefined) =>
    world.client(
      'erase',
      (dependencies) =>
        eraseContact(dependencies, ERASURE, world.ground.workspaceId, contactId!, newCall()).then(() => true),
      gone,
    ),
}

const emailRows = (world: World) => sql<{ id: string }>(world.em, 'select id from emails')

/** Points in the delivery of an email at which a stop arrives. */
const EMAIL_INSTANTS = [undefined, /^mail DATA ada@/, /^SQL with given as \( select \*, case/, /^mail takes ada@/]

/** An attempt that imports one row, because each attempt halves the rows of the previous one. */
const ONE_ROW = 10

/** Worlds of decisions by operators, importers and recipients. */
export const MESSAGE_WORLDS = {
  retry: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const expected: Story['expected'] = []
      const never: [number, number][] = []
      world.mail.instead.push('refuse')
      const retrying = async () => {
        await world.enroll(automationId, contactId)
        const failed = await messageIn(world, 'FAILED')
        if (!failed) return
        const { id } = failed
        // Two operators retry it, and the outcome of the first retry is unknown: it is not sent again.
        if (world.scheduler.pick([true, false])) world.mail.instead.push('lose')
        // The first attempt of the retry does not reach the mail server.
        world.mail.closes = world.scheduler.pick([0, 1])
        const name = world.scheduler.pick(Object.keys(BESIDE))
        const beside = async () => {
          await world.scheduler.steps(world.scheduler.pick([0, 4, 8, 12, 16, 20]))
          never.push(...(await BESIDE[name]!(world, automationId, contactId)))
        }
        await Promise.all([retry(world, id, false), retry(world, id, false), beside()])
        if (name !== 'unsubscribe') expected.push({ contact: 'ada', subjects: ['1'] })
      }
      return { done: retrying(), expected, never: [{ begunBetween: () => never }] }
    },
  },
  decide: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const expected: Story['expected'] = []
      let dismissedAt = Infinity
      world.mail.instead.push('cut')
      const deciding = async () => {
        await world.enroll(automationId, contactId)
        const unconfirmed = await messageIn(world, 'UNCONFIRMED')
        if (!unconfirmed) return
        const { id } = unconfirmed
        // The first attempt may have arrived, whatever the outcome of the second one is.
        if (world.scheduler.pick([false, true])) world.mail.instead.push('refuse')
        const dismissLater = async () => {
          await world.scheduler.steps(world.scheduler.pick([0, 3, 6, 9, 12, 15, 60, 90]))
          const { answer, at, attempt } = await dismiss(world, id)
          if (answer) dismissedAt = at
          return answer === true || attempt > 1
        }
        const [{ answer }, mayBeDismissed] = await Promise.all([retry(world, id, true), dismissLater()])
        if (answer && !mayBeDismissed) expected.push({ contact: 'ada', subjects: ['1'] })
      }
      return { done: deciding(), expected, never: [{ begunBetween: () => [[dismissedAt, Infinity]] }] }
    },
  },
  dismiss: {
    workers: 2,
    async run(world) {
      const { scheduler } = world
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const becomes: NonNullable<Story['becomes']> = []
      let dismissedAt = Infinity
      world.mail.instead.push('cut')
      const deciding = async () => {
        await world.enroll(automationId, contactId)
        const unconfirmed = await messageIn(world, 'UNCONFIRMED')
        if (!unconfirmed) return
        const { id } = unconfirmed
        // The dismissal has read the message, but has not written it yet.
        const write = scheduler.hold(/^SQL update messages set status = '…', retry_at = null where/)
        const dismissed = dismiss(world, id)
        await Promise.race([write.reached, scheduler.pause(10_000)])
        if (scheduler.pick([true, false])) {
          const transmission = scheduler.hold(/^mail takes ada@/)
          const retried = retry(world, id, true)
          const isTransmitted = await Promise.race([transmission.reached, scheduler.pause(20_000)])
          write.release()
          await Promise.race([dismissed, scheduler.pause(KEPT_MS)])
          transmission.release()
          await Promise.all([dismissed, retried])
          if (isTransmitted) becomes.push({ contact: 'ada', subject: '1', status: 'SENT' })
        } else {
          write.release()
          dismissedAt = (await dismissed).at
          await retry(world, id, true)
          becomes.push({ contact: 'ada', subject: '1', status: 'DISMISSED' })
        }
      }
      return {
        done: deciding(),
        expected: [],
        never: [{ begunBetween: () => [[dismissedAt, Infinity]] }],
        becomes,
        ownFaults: 1,
      }
    },
  },
  'retry-unconfirmed': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      // The mail server accepts the email, and its response is lost.
      world.mail.instead.push('lose')
      const retrying = async () => {
        await world.enroll(automationId, contactId)
        const unconfirmed = await messageIn(world, 'UNCONFIRMED')
        if (!unconfirmed) return
        // The client repeats a request whose response was lost: each retry is rejected.
        world.mail.instead.push('refuse', 'refuse', 'refuse', 'refuse', 'refuse')
        await retry(world, unconfirmed.id, true)
      }
      return {
        done: retrying(),
        expected: [{ contact: 'ada', subjects: ['1'] }],
        never: [],
        becomes: [{ contact: 'ada', subject: '1', status: 'UNCONFIRMED' }],
        ownFaults: 1,
      }
    },
  },
  refused: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND])
      const contactId = await world.contact('ada')
      world.mail.instead.push('refuse')
      return {
        done: world.enroll(automationId, contactId),
        expected: [],
        never: [],
        becomes: [
          { contact: 'ada', subject: '1', status: 'FAILED' },
          { contact: 'ada', subject: '2', status: 'SENT' },
        ],
      }
    },
  },
  captured: {
    workers: 2,
    async run(world) {
      await sql(world.em, `update workspaces set mode = 'test'`)
      const automationId = await world.automation([EMAIL, SECOND])
      const contactId = await world.contact('ada')
      let liveAt = Infinity
      const retrying = async () => {
        await world.enroll(automationId, contactId)
        const captured = await messageIn(world, 'CAPTURED', { count: 2 })
        if (!captured) return
        liveAt = world.scheduler.step
        await sql(world.em, `update workspaces set mode = 'live'`)
        await retry(world, captured.id, false)
      }
      return {
        done: retrying(),
        expected: [],
        never: [
          { contact: 'ada', subjects: ['2'], takenAfter: () => 0 },
          { contact: 'ada', subjects: ['1'], begunBetween: () => [[0, liveAt]] },
        ],
        becomes: [
          { contact: 'ada', subject: '1', status: 'SENT' },
          { contact: 'ada', subject: '2', status: 'CAPTURED' },
        ],
      }
    },
  },
  'claim-answer': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, LONG_WAIT, SECOND])
      const contactId = await world.contact('ada')
      const fault = world.scheduler.pick(['fail-after', 'stall-after'] as const)
      const becomes: NonNullable<Story['becomes']> = []
      const striking = async () => {
        if (!(await strikeClaim(world, fault))) return
        const status = fault === 'fail-after' ? 'SENT' : 'UNCONFIRMED'
        becomes.push({ contact: 'ada', subject: '1', status }, { contact: 'ada', subject: '2', status: 'SENT' })
      }
      return {
        done: Promise.all([world.enroll(automationId, contactId), striking()]),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [],
        becomes,
        ownFaults: fault === 'fail-after' ? 0 : 1,
      }
    },
  },
  'late-begin': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const unsubscribes = world.scheduler.pick([true, false])
      // The second attempt is an activity of its own, which Temporal gives to another worker within 15 s.
      world.mail.closes = world.scheduler.pick([0, 1])
      const becomes: NonNullable<Story['becomes']> = []
      let unsubscribedAt = Infinity
      const stopping = async () => {
        const isStopped = await strikeClaim(world, 'nap-after')
        if (!unsubscribes) {
          if (isStopped) becomes.push({ contact: 'ada', subject: '1', status: 'SENT' })
          return
        }
        await world.scheduler.pause(1_000)
        unsubscribedAt = (await unsubscribe(world, contactId)).at
      }
      return {
        done: Promise.all([world.enroll(automationId, contactId), stopping()]),
        expected: unsubscribes ? [] : [{ contact: 'ada', subjects: ['1'] }],
        never: [{ begunBetween: () => [[unsubscribedAt, Infinity]] }],
        mayEnd: 'all',
        becomes,
        ownFaults: 1,
      }
    },
  },
  'campaign-late-begin': {
    workers: 2,
    async run(world) {
      const { id } = await aCampaign(world, { recipients: PEOPLE })
      return {
        done: Promise.all([schedule(world, id), strikeClaim(world, 'nap-after')]),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'] },
        never: [],
        becomes: PEOPLE.map((contact) => ({ contact, subject: 'News', status: 'SENT' })),
        ownFaults: 1,
      }
    },
  },
  'slow-mail': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const transmission = world.scheduler.hold(/^mail takes ada@/)
      const waiting = async () => {
        await Promise.race([transmission.reached, world.scheduler.pause(20_000)])
        await world.scheduler.pause(60_000)
        transmission.release()
      }
      return {
        done: Promise.all([world.enroll(automationId, contactId), waiting()]),
        expected: [{ contact: 'ada', subjects: ['1'] }],
        never: [],
        becomes: [{ contact: 'ada', subject: '1', status: 'SENT' }],
      }
    },
  },
  'late-answer': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const hold = world.scheduler.hold(OUTCOME)
      const stopping = async () => {
        const action = await Promise.race([hold.reached, world.scheduler.pause(20_000)])
        if (action) world.scheduler.stall(action.process)
        hold.release()
        await world.scheduler.pause(STALL_MS + 1_000)
      }
      return {
        done: Promise.all([world.enroll(automationId, contactId), stopping()]),
        expected: [{ contact: 'ada', subjects: ['1'] }],
        never: [],
        becomes: [{ contact: 'ada', subject: '1', status: 'SENT' }],
        ownFaults: 1,
      }
    },
  },
  'failed-record': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const fault = world.scheduler.pick(['fail-before', 'fail-after'] as const)
      return {
        done: Promise.all([world.enroll(automationId, contactId), strikeNext(world, OUTCOME, OUTCOME, fault)]),
        expected: [{ contact: 'ada', subjects: ['1'] }],
        never: [],
        becomes: [{ contact: 'ada', subject: '1', status: 'SENT' }],
      }
    },
  },
  'campaign-retry': {
    workers: 2,
    async run(world) {
      // Slow enough that it still sends when the retry begins.
      const { id } = await aCampaign(world, { recipients: PEOPLE, throttlePerHour: 60 })
      world.mail.instead.push('refuse')
      let cancelledAt = Infinity
      const retrying = async () => {
        const { attempt } = await schedule(world, id)
        const failed = await messageIn(world, 'FAILED')
        if (!failed) return
        const hold = world.scheduler.hold(new RegExp(`^mail DATA ${failed.email}`))
        const retried = retry(world, failed.id, false)
        await Promise.race([hold.reached, world.scheduler.pause(20_000)])
        const cancelled = move(world, id, 'cancel')
        await Promise.race([cancelled, world.scheduler.pause(KEPT_MS)])
        hold.release()
        const { answer, at } = await cancelled
        if (answer !== undefined && attempt === 1) cancelledAt = at
        await retried
      }
      return {
        done: retrying(),
        expected: [],
        campaign: { id, recipients: PEOPLE, subjects: ['News'], mayBeLeft: PEOPLE },
        never: [{ begunBetween: () => [[cancelledAt, Infinity]] }],
      }
    },
  },
  'fail-over': {
    workers: 2,
    mailServers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contacts = [await world.contact('ada'), await world.contact('bob')]
      if (world.scheduler.pick([true, false])) world.mail.instead.push('lose')
      return {
        done: Promise.all(contacts.map((contactId) => world.enroll(automationId, contactId))),
        expected: ['ada', 'bob'].map((contact) => ({ contact, subjects: ['1'] })),
        never: [],
      }
    },
  },
  'double-opt-in': {
    workers: 2,
    async run(world) {
      const { workspaceId } = world.ground
      const list = await createList(world.em, workspaceId, { name: 'Readers' }, newId())
      const of = { triggerConfig: { listId: list.id } }
      await world.automation([{ ...EMAIL, category: 'transactional', text: '{{ confirmUrl }}' }], {
        trigger: 'LIST_REQUESTED',
        ...of,
      })
      await world.automation([SECOND], { trigger: 'LIST_ADDED', ...of })
      await updateList(world.em, workspaceId, list.id, { doubleOptIn: true })
      const [ada, bob] = [await world.contact('ada'), await world.contact('bob')]
      const join = (contactId: string) => {
        const call = newCall()
        return world.client('join', (dependencies) =>
          addToList(dependencies, workspaceId, list.id, [contactId], { ...call, afterCommit: [] }),
        )
      }
      let confirmingAt = Infinity
      const confirming = async () => {
        await join(ada)
        const hasRequest = () => world.mail.taken.some(({ to }) => to === 'ada@example.com')
        for (let n = 0; n < 120 && !hasRequest(); n += 1) await world.scheduler.pause(1_000)
        const [request] = await sql<{ id: string }>(
          world.em,
          'select id from confirmation_requests where contact_id = $1::uuid',
          [ada],
        )
        confirmingAt = world.scheduler.step
        await world.client('confirm', (dependencies) => confirmRequest(dependencies, ada, request!.id))
      }
      return {
        done: Promise.all([confirming(), join(bob)]),
        expected: [
          { contact: 'ada', subjects: ['1', '2'] },
          { contact: 'bob', subjects: ['1'] },
        ],
        never: [
          { contact: 'ada', subjects: ['2'], begunBetween: () => [[0, confirmingAt]] },
          { contact: 'bob', subjects: ['2'], takenAfter: () => 0 },
        ],
        // The confirmation ends the automation that would remind them.
        mayEnd: 'all',
      }
    },
  },
  email: {
    workers: 2,
    async run(world) {
      const { scheduler } = world
      world.sendsEmails = true
      const contactId = scheduler.pick([true, false]) ? await world.contact('ada') : undefined
      return {
        done: acceptEmail(world, {
          by: scheduler.pick(['key', 'id'] as const),
          isScheduled: scheduler.pick([false, true]),
          contactId,
        }),
        expected: [{ contact: 'ada', subjects: ['Receipt'] }],
        never: [],
        becomes: [{ contact: 'ada', subject: 'Receipt', status: 'SENT' }],
      }
    },
  },
  'email-stopped': {
    workers: 2,
    async run(world) {
      const { scheduler } = world
      world.sendsEmails = true
      const stop = scheduler.pick(['cancelled', 'suppressed', 'erased'] as const)
      const hasContact = stop === 'erased' || scheduler.pick([true, false])
      const contactId = hasContact ? await world.contact('ada') : undefined
      const instant = scheduler.pick(EMAIL_INSTANTS)
      const hold = instant && scheduler.hold(instant)
      const isScheduled = scheduler.pick([false, true])
      // The mail server may close the connection first: the email is then DEFERRED.
      world.mail.closes = scheduler.pick([0, 0, 1])
      const expected: Story['expected'] = []
      const becomes: NonNullable<Story['becomes']> = []
      let stoppedAt = Infinity
      let isCancelled = false
      const accepted = acceptEmail(world, { by: 'key', isScheduled, contactId })
      const stopping = async () => {
        if (hold) await Promise.race([hold.reached, scheduler.pause(20_000)])
        else await scheduler.steps(scheduler.pick([5, 10, 20, 30]))
        // An email that is accepted after an erasure is a new one.
        let [row] = await emailRows(world)
        while (!row) {
          await scheduler.pause(100)
          ;[row] = await emailRows(world)
        }
        const request = EMAIL_STOPS[stop](world, row.id, contactId)
        await Promise.race([request, scheduler.pause(KEPT_MS)])
        hold?.release()
        const { answer, at } = await request
        if (stop !== 'cancelled') stoppedAt = at
        else if (answer) {
          isCancelled = true
          becomes.push({ contact: 'ada', subject: 'Receipt', status: 'DISMISSED' })
        } else expected.push({ contact: 'ada', subjects: ['Receipt'] })
      }
      return {
        done: Promise.all([accepted, stopping()]),
        expected,
        never: [
          { begunBetween: () => [[stoppedAt, Infinity]] },
          // A cancelled email was never sent. An erasure waits for an email in flight.
          { takenAfter: () => (isCancelled ? -1 : stop === 'erased' ? stoppedAt : Infinity) },
        ],
        becomes,
      }
    },
  },
  import: {
    workers: 2,
    async run(world) {
      const { workspaceId } = world.ground
      const list = await createList(world.em, workspaceId, { name: 'Readers' }, newId())
      await world.automation([EMAIL], { trigger: 'LIST_ADDED', triggerConfig: { listId: list.id } })
      await suppressByCall(
        world.dependencies(),
        workspaceId,
        { email: 'cid@example.com', reason: 'COMPLAINED' },
        newCall(),
      )
      const choices = { preset: null, columns: [], consent: 'SUBSCRIBED' } as const
      const options = { ...choices, listId: list.id, tags: [], triggers: true, confirmed: true }
      const { id } = await createImport(world.em, workspaceId, { name: 'readers.csv', options }, newId())
      const bytes = Buffer.from('email\nada@example.com\nbob@example.com\ncid@example.com\n')
      await uploadChunk(world.em, workspaceId, id, { position: 0, bytes, isLast: true })
      const isStarted = (error: Error) => /already started/.test(error.message)
      const importing = async () => {
        await world.client('start', ({ em }) => startImport(em, workspaceId, id), isStarted)
        // The workers import the file too.
        while ((await getImport(world.em, workspaceId, id)).status === 'RUNNING')
          await world.client('import', (dependencies) =>
            advanceImport(dependencies, workspaceId, id, newCall(), ONE_ROW),
          )
      }
      return {
        done: importing(),
        expected: ['ada', 'bob'].map((contact) => ({ contact, subjects: ['1'] })),
        never: [{ contact: 'cid', takenAfter: () => 0 }],
      }
    },
  },
} satisfies Record<string, Setting>
