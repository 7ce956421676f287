import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { queuePage } from '../../src/campaigns/recipients.ts'
import type { ResolvedCondition } from '../../src/segments/index.ts'
import type { SuppressedBy } from '../../src/contacts/index.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { dueOf } from '../support/campaign-claims.ts'
import { campaignIs } from '../support/campaigns.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

describe('opt-outs and campaigns', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

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

  /** Locks a contact's row: opt-outs and claims wait for it, but the queueing of recipients does not. */
  const lock = (contactId: string) =>
    lockWith(em(), 'select from contacts where id = $1::uuid for no key update', [contactId])

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
      await lockWaits(em())
      assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
      // The campaign has rendered the email, and the mail server waits for the content: only the claim is left.
      await lockWaits(em(), 2)
      await release()
      const sentBefore = await answered
      const campaign = await campaignIs(service, id, 'SENT')
      assert.equal(mails(), sentBefore)
      // The opt-out was the first to wait for the lock.
      const { recipients, suppressed } = campaign.stats
      assert.deepEqual({ recipients, suppressed, mails: mails() }, { recipients: 1, suppressed: 1, mails: 0 })
    })

  describe('between queueing and sending', () => {
    // The tests do the work of the workers.
    before(async () => {
      service = await openWorkspace({ worker: false })
    })

    type Name = 'A' | 'B'
    /** The audience's lists and segments, in which `A` and `B` stand for lists. */
    type Audience = { lists?: Name[]; segments?: ResolvedCondition[] }
    type When = 'before' | 'during' | 'after'
    /** `undefined` if the contact is not a recipient, `null` if the message may be sent. */
    type Expected = SuppressedBy | null | undefined
    interface Case {
      audience: Audience
      joins?: Name[]
      leaves?: Name[]
      /** Whether the contact asked to rejoin the lists. */
      rejoins?: boolean
      expected: Partial<Record<When, Expected>>
    }
    const [LEFT, SENT, UNQUEUED] = ['LEFT_LIST', null, undefined] as const
    const always = (expected: Expected) => ({ before: expected, during: expected, after: expected })
    const once = (before: Expected) => ({ before, during: LEFT, after: LEFT })
    const reader: ResolvedCondition = { tag: 'reader' }
    const inA: ResolvedCondition = { list: 'A' }
    const cases: Record<string, Case> = {
      'its only list': { audience: { lists: ['A'] }, expected: once(UNQUEUED) },
      'one of its lists, of which another still includes the contact': {
        ...{ audience: { lists: ['A', 'B'] }, joins: ['A', 'B'], leaves: ['B'], expected: once(SENT) },
      },
      'a list outside its audience': {
        ...{ audience: { lists: ['A'] }, joins: ['A', 'B'], leaves: ['B'], expected: always(SENT) },
      },
      'its list, and asked to rejoin it': {
        ...{ audience: { lists: ['A'] }, rejoins: true, expected: { before: SENT, after: SENT } },
      },
      'its list, while a segment includes the contact as well': {
        ...{ audience: { lists: ['A'], segments: [reader] }, expected: once(SENT) },
      },
      'the list that its segment requires': { audience: { segments: [inA] }, expected: once(UNQUEUED) },
      'the list that its segment requires in addition to a tag': {
        ...{ audience: { segments: [{ all: [inA, reader] }] }, expected: once(UNQUEUED) },
      },
      'a list that its segment does not require': {
        ...{ audience: { segments: [{ any: [inA, reader] }] }, expected: always(SENT) },
      },
      'the list that each of its segments requires': {
        ...{ audience: { segments: [inA, { all: [inA, { tag: 'other' }] }] }, expected: once(UNQUEUED) },
      },
      'a list that one of its segments does not require': {
        ...{ audience: { segments: [inA, reader] }, expected: always(SENT) },
      },
    }

    async function outcomeOf(
      { audience, joins = ['A'], leaves = ['A'], rejoins }: Case,
      when: When,
    ): Promise<Expected> {
      const lists = { A: await aPublicList(), B: await aPublicList() }
      const json = JSON.stringify(audience.segments ?? []).replaceAll(
        /"([AB])"/g,
        (_, name) => `"${lists[name as Name]}"`,
      )
      const conditions = JSON.parse(json) as ResolvedCondition[]
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
          `update campaigns set status = 'SENDING', started_at = now(), cursor = $2::bigint, last_place = $2::bigint + 1
           where id = $1`,
          [id, cursor],
        )
        const campaign = { id, workspaceId: service.workspaceId, cursor, abTest: null }
        const of = { at: new Date(), listIds, conditions, excludedListIds: [], excludedConditions: [] }
        assert.equal((await queuePage(em(), campaign, of, null))?.materialized, true)
      }
      if (when === 'before') await optOut()
      if (when === 'during') {
        const release = await lock(contactId)
        const answered = optOut()
        await lockWaits(em())
        await queue()
        await release()
        await answered
      } else await queue()
      if (when === 'after') await optOut()
      const due = await dueOf(service, id)
      await sql(em(), `update campaigns set status = 'CANCELLED' where id = $1`, [id])
      return due.get(contactId)
    }

    for (const when of ['before', 'during', 'after'] as const)
      it(`suppresses the messages of contacts who left a required list ${when} queueing, and no others`, async () => {
        const deviations = []
        for (const [left, each] of Object.entries(cases)) {
          if (!(when in each.expected)) continue
          const outcome = await outcomeOf(each, when)
          if (outcome !== each.expected[when]) deviations.push({ left, outcome, expected: each.expected[when] })
        }
        assert.deepEqual(deviations, [])
      })
  })
})
