import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { queuePage } from '../../src/campaigns/recipients.ts'
import type { ResolvedCondition } from '../../src/segments/index.ts'
import type { SuppressedBy } from '../../src/contacts/index.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { dueOf } from '../support/campaign-claims.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'

describe('opt-outs and campaigns', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started), { env: { PUBLIC_URL: 'https://mail.example.com' } })

  const em = () => service.context.orm.em.fork()
  const create = async (audience: object): Promise<string> => {
    const fields = { name: 'News', subject: 'News', text: 'Hello', audience }
    return (await service.call('POST', 'campaigns', fields)).body.data.id as string
  }
  const aPublicList = async (): Promise<string> => {
    const list = await aList(service)
    assert.equal((await service.call('PATCH', `lists/${list}`, { public: true })).status, 200)
    return list
  }
  const join = (list: string, contactId: string, fields: object = {}) =>
    service.call('POST', `lists/${list}/contacts`, { contactIds: [contactId], ...fields })

  /** Submits a form of the page behind an unsubscribe link. */
  async function submit(contactId: string, originId: string, form: [string, string][]): Promise<void> {
    const token = signLink(await readLinkSecret(em()), 'unsubscribe', { contactId, originId })
    const body = new URLSearchParams(form)
    const { status } = await fetch(`http://127.0.0.1:${service.port}/unsubscribe/${token}`, { method: 'POST', body })
    assert.equal(status, 200)
  }
  /** Leaves all lists except some. */
  const leave = (contactId: string, originId: string, kept: readonly string[] = []) =>
    submit(contactId, originId, [['choice', 'lists'], ...kept.map((id): [string, string] => ['list', id])])

  /**
   * Locks a contact's row: opt-outs and claims wait for it, but the queueing of recipients does not.
   * @returns a function that releases the lock
   */
  async function lock(contactId: string): Promise<() => Promise<void>> {
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const locking = em().transactional(async (unit) => {
      await sql(unit, 'select from contacts where id = $1::uuid for no key update', [contactId])
      locked.resolve()
      await released.promise
    })
    await locked.promise
    return async () => {
      released.resolve()
      await locking
    }
  }
  const waiting = (count: number) =>
    eventually(`${count} sessions wait for a lock`, async () => {
      const rows = await sql(
        em(),
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length >= count || undefined
    })

  const optOuts: Record<string, (contactId: string, originId: string) => Promise<void>> = {
    'leaves a list': (contactId, originId) => leave(contactId, originId),
    unsubscribes: (contactId, originId) => submit(contactId, originId, [['List-Unsubscribe', 'One-Click']]),
  }
  for (const [what, optOut] of Object.entries(optOuts))
    it(`sends nothing after a contact ${what}, even if that waited for a lock while the campaign started`, async () => {
      const list = await aPublicList()
      const contactId = await aContact(service)
      await join(list, contactId)
      const address = await addressOf(service, contactId)
      const id = await create({ listIds: [list] })
      const mails = () => sink.mails.filter(({ to }) => to[0] === address).length
      const release = await lock(contactId)
      // The transaction of the opt-out begins before the campaign, and is committed after its recipients were queued.
      const answered = optOut(contactId, id).then(mails)
      await waiting(1)
      assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
      // The campaign has rendered the email, and the mail server waits for the content: only the claim is left.
      await waiting(2)
      await release()
      const sentBefore = await answered
      const campaign = await eventually('the campaign is sent', async () => {
        const { body } = await service.call('GET', `campaigns/${id}`)
        const data = body.data as { status: string; stats: Record<string, number> }
        return data.status === 'SENT' ? data : undefined
      })
      assert.equal(mails(), sentBefore)
      // The opt-out was the first to wait for the lock.
      const { recipients, suppressed } = campaign.stats
      assert.deepEqual({ recipients, suppressed, mails: mails() }, { recipients: 1, suppressed: 1, mails: 0 })
    })

  describe('between queueing and sending', () => {
    // The tests do the work of the workers.
    before(() => service.stopWorkers())
    after(() => service.startWorker())

    interface Case {
      what: string
      /** The audience's lists and segments; `A` and `B` stand for lists. */
      audience: { lists?: readonly Name[]; segments?: readonly ResolvedCondition[] }
      joins: readonly Name[]
      leaves: readonly Name[]
      when: readonly ('before' | 'during' | 'after')[]
      /** Whether the contact asked to rejoin the lists. */
      rejoins?: boolean
      /** `undefined` if the contact is not a recipient. */
      expected: SuppressedBy | null | undefined
    }
    type Name = 'A' | 'B'
    const cases: Case[] = [
      {
        what: 'its only list',
        audience: { lists: ['A'] },
        ...{ joins: ['A'], leaves: ['A'], when: ['during', 'after'], expected: 'LEFT_LIST' },
      },
      {
        what: 'its only list',
        audience: { lists: ['A'] },
        ...{ joins: ['A'], leaves: ['A'], when: ['before'], expected: undefined },
      },
      {
        what: 'one of its lists, of which another still includes the contact',
        audience: { lists: ['A', 'B'] },
        ...{ joins: ['A', 'B'], leaves: ['B'], when: ['during', 'after'], expected: 'LEFT_LIST' },
      },
      {
        what: 'one of its lists, of which another still includes the contact',
        audience: { lists: ['A', 'B'] },
        ...{ joins: ['A', 'B'], leaves: ['B'], when: ['before'], expected: null },
      },
      {
        what: 'a list outside its audience',
        audience: { lists: ['A'] },
        ...{ joins: ['A', 'B'], leaves: ['B'], when: ['before', 'during', 'after'], expected: null },
      },
      {
        what: 'its list, and asked to rejoin it',
        audience: { lists: ['A'] },
        ...{ joins: ['A'], leaves: ['A'], rejoins: true, when: ['before', 'after'], expected: null },
      },
      {
        what: 'its list, while a segment includes the contact as well',
        audience: { lists: ['A'], segments: [{ tag: 'reader' }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['during', 'after'], expected: 'LEFT_LIST' },
      },
      {
        what: 'its list, while a segment includes the contact as well',
        audience: { lists: ['A'], segments: [{ tag: 'reader' }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['before'], expected: null },
      },
      {
        what: 'the list that its segment requires',
        audience: { segments: [{ all: [{ list: 'A' }, { tag: 'reader' }] }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['during', 'after'], expected: 'LEFT_LIST' },
      },
      {
        what: 'the list that its segment requires',
        audience: { segments: [{ list: 'A' }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['before'], expected: undefined },
      },
      {
        what: 'a list that its segment does not require',
        audience: { segments: [{ any: [{ list: 'A' }, { tag: 'reader' }] }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['before', 'during', 'after'], expected: null },
      },
      {
        what: 'the list that each of its segments requires',
        audience: { segments: [{ list: 'A' }, { all: [{ list: 'A' }, { tag: 'other' }] }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['during', 'after'], expected: 'LEFT_LIST' },
      },
      {
        what: 'a list that one of its segments does not require',
        audience: { segments: [{ list: 'A' }, { tag: 'reader' }] },
        ...{ joins: ['A'], leaves: ['A'], when: ['before', 'during', 'after'], expected: null },
      },
    ]

    for (const { what, audience, joins, leaves, when, rejoins, expected } of cases)
      for (const moment of when) {
        const outcome =
          expected === undefined ? 'does not queue' : expected === null ? 'sends to' : `suppresses with ${expected} for`
        it(`${outcome} a contact that left ${what}, ${moment} queueing`, async () => {
          const lists = { A: await aPublicList(), B: await aPublicList() }
          const spelled = JSON.stringify(audience.segments ?? []).replaceAll(
            /"([AB])"/g,
            (_, name) => `"${lists[name as Name]}"`,
          )
          const conditions = JSON.parse(spelled) as ResolvedCondition[]
          const listIds = (audience.lists ?? []).map((name) => lists[name])
          const contactId = await aContact(service, { tags: ['reader'] })
          for (const name of joins) await join(lists[name], contactId)
          const id = await create({ listIds: [lists.A] })
          const kept = joins.filter((name) => !leaves.includes(name)).map((name) => lists[name])
          const optOut = async () => {
            await leave(contactId, id, kept)
            if (rejoins) for (const name of leaves) await join(lists[name], contactId, { resubscribe: true })
          }
          const queue = async () => {
            const [row] = await sql<{ place: number }>(em(), 'select place::float8 from contacts where id = $1', [
              contactId,
            ])
            const cursor = row!.place - 1
            await sql(
              em(),
              `update campaigns set status = 'SENDING', started_at = now(), cursor = $2::bigint, last_place = $2::bigint + 1 where id = $1`,
              [id, cursor],
            )
            const campaign = { id, workspaceId: service.workspaceId, cursor, abTest: null }
            const of = { at: new Date(), listIds, conditions, excludedListIds: [], excludedConditions: [] }
            assert.equal((await queuePage(em(), campaign, of, null))?.materialized, true)
          }
          if (moment === 'before') await optOut()
          if (moment === 'during') {
            const release = await lock(contactId)
            const answered = optOut()
            await waiting(1)
            await queue()
            await release()
            await answered
          } else await queue()
          if (moment === 'after') await optOut()
          assert.equal((await dueOf(service, id)).get(contactId), expected)
          await sql(em(), `update campaigns set status = 'CANCELLED' where id = $1`, [id])
        })
      }
  })
})
