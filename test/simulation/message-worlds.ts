import { confirmRequest } from '../../src/consent/confirm.ts'
import { setPreferences } from '../../src/consent/preferences.ts'
import { suppressByCall } from '../../src/consent/suppress.ts'
import { createImport, getImport } from '../../src/imports/imports.ts'
import { takePiece } from '../../src/imports/take-piece.ts'
import { addToList } from '../../src/contacts/add-to-list.ts'
import { createList, updateList } from '../../src/lists/lists.ts'
import { retryOne } from '../../src/messages/retry.ts'
import { dismissOne } from '../../src/messages/unconfirmed-messages.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { aCampaign, KEPT_MS, move, PEOPLE, schedule } from './campaign-worlds.ts'
import type { Story } from './check-promise.ts'
import { STALL_MS } from './scheduler.ts'
import type { Setting } from './setting.ts'
import type { World } from './world.ts'

const EMAIL = { type: 'EMAIL', subject: '1', text: 'x' } as const
const SECOND = { type: 'EMAIL', subject: '2', text: 'x' } as const

/** Waits until a message has a status. @returns the first one; nothing where none ever has */
async function messageIn(world: World, status: string): Promise<{ id: string; email: string } | undefined> {
  for (let n = 0; n < 300; n += 1) {
    const [row] = await sql<{ id: string; email: string }>(
      world.em,
      `select message.id, contact.email from messages message join contacts contact on contact.id = message.contact_id
       where message.status = $1`,
      [status],
    )
    if (row) return row
    await world.scheduler.pause(1_000)
  }
  return undefined
}

/** Who comes too late is told so. */
const nothingLeft = (error: Error) =>
  /is tried again|has become another|can be dismissed|may arrive twice/.test(error.message)

function retry(world: World, messageId: string, evenIfSent: boolean) {
  const { workspaceId } = world.ground
  return world.client(
    'retry',
    (dependencies) => retryOne(dependencies, workspaceId, messageId, { evenIfSent }, newCall()),
    nothingLeft,
  )
}

/** What happens beside a retry. @returns the steps between which nothing may begin */
const BESIDE: Record<string, (world: World, automationId: string, contactId: string) => Promise<[number, number][]>> = {
  nothing: () => Promise.resolve([]),
  async pause(world, automationId) {
    const { at } = await world.setStatus(automationId, 'PAUSED')
    await world.scheduler.pause(world.scheduler.pick([0, 3_000, 20_000]))
    const until = world.scheduler.step
    await world.setStatus(automationId, 'ACTIVE')
    // An API that was stopped may still pause it when its client has long had another one do so.
    if (world.stopped('api')) {
      await world.scheduler.pause(STALL_MS)
      await world.setStatus(automationId, 'ACTIVE')
    }
    return [[at, until]]
  },
  async unsubscribe(world, _automationId, contactId) {
    const { at } = await world.client('unsubscribe', (dependencies) =>
      setPreferences(dependencies, { contactId, originId: newId() }, { kind: 'nothing' }),
    )
    return [[at, Infinity]]
  },
}

/** More than a row, and less than two. */
const PIECE_BYTES = 25

/** Worlds of what operators, importers and recipients decide about. */
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
        // Two ask for it, and nobody knows whether the first retry arrived: it is not sent again.
        if (world.scheduler.pick([true, false])) world.mail.instead.push('lose')
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
        const { workspaceId } = world.ground
        // The first attempt may have arrived, whatever is said of the second one.
        if (world.scheduler.pick([false, true])) world.mail.instead.push('refuse')
        const dismiss = async () => {
          await world.scheduler.steps(world.scheduler.pick([0, 3, 6, 9, 12, 15, 60, 90]))
          const { answer, at, attempt } = await world.client(
            'dismiss',
            (dependencies) => dismissOne(dependencies.em, workspaceId, id).then(() => true),
            nothingLeft,
          )
          if (answer) dismissedAt = at
          return answer === true || attempt > 1
        }
        const [{ answer }, mayBeDismissed] = await Promise.all([retry(world, id, true), dismiss()])
        if (answer && !mayBeDismissed) expected.push({ contact: 'ada', subjects: ['1'] })
      }
      return { done: deciding(), expected, never: [{ begunBetween: () => [[dismissedAt, Infinity]] }] }
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
      return {
        done: world.enroll(automationId, contactId),
        expected: [],
        never: [{ contact: 'ada', takenAfter: () => 0 }],
        becomes: ['1', '2'].map((subject) => ({ contact: 'ada', subject, status: 'CAPTURED' })),
        ownFaults: Infinity,
      }
    },
  },
  'late-answer': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const hold = world.scheduler.hold(/^SQL update messages message set status = given/)
      const stopping = async () => {
        const process = await Promise.race([hold.reached, world.scheduler.pause(20_000)])
        if (process) world.scheduler.stall(process)
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
        const isAsked = () => world.mail.taken.some(({ to }) => to === 'ada@example.com')
        for (let n = 0; n < 120 && !isAsked(); n += 1) await world.scheduler.pause(1_000)
        const [request] = await sql<{ id: string }>(
          world.em,
          'select id from list_requests where contact_id = $1::uuid',
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
        // Confirming ends what would remind them.
        mayEnd: 'all',
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
      const options = { columns: [], listId: list.id, tags: [], as: null, triggers: true, confirmed: true }
      const input = { name: 'readers.csv', format: 'csv', options } as const
      const { id } = await createImport(world.em, workspaceId, input, newId())
      const file = Buffer.from('email\nada@example.com\nbob@example.com\ncid@example.com\n')
      const isElsewhere = (error: Error) => /goes on at another position|has ended/.test(error.message)
      const importing = async () => {
        for (;;) {
          // It goes on where the import says that it is: a repeated piece may have been done.
          const { status, position } = await getImport(world.em, workspaceId, id)
          if (status !== 'RUNNING') return
          const bytes = file.subarray(position, position + PIECE_BYTES)
          const piece = { position, bytes, isLast: position + bytes.length === file.length }
          await world.client(
            'import',
            (dependencies) => takePiece(dependencies, workspaceId, id, piece, newCall()),
            isElsewhere,
          )
        }
      }
      return {
        done: importing(),
        expected: ['ada', 'bob'].map((contact) => ({ contact, subjects: ['1'] })),
        never: [{ contact: 'cid', takenAfter: () => 0 }],
      }
    },
  },
} satisfies Record<string, Setting>
