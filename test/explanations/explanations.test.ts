import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { setSender } from '../../src/senders/settings.ts'
import { campaignIs } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, anEvent, EMAIL, enroll, sentTo, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

interface Explanation {
  outcome: string
  sentence: string
  facts: { name: string; state: string; title: string; needs: string; found: string }[]
  enrollmentId: string | null
  messageId: string | null
}

/** Times vary; their place in a text does not. */
const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

describe('explanations', () => {
  let service: Service
  useServiceAndSink((started) => ({ service } = started))

  const explain = async (of: 'automations' | 'campaigns', id: string, contactId: string): Promise<Explanation> => {
    const { status, body } = await service.call('GET', `${of}/${id}/explanations/${contactId}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { sentence, facts, ...rest } = body.data as Explanation
    const found = facts.map((fact) => ({ ...fact, found: withoutTimes(fact.found), needs: withoutTimes(fact.needs) }))
    return { ...rest, sentence: withoutTimes(sentence), facts: found }
  }
  const statesOf = ({ facts }: Explanation) => facts.map(({ name, state, found }) => `${name} ${state}: ${found}`)

  describe('of an automation that the contact never entered', () => {
    const cases: {
      it: string
      automation: () => object | Promise<object>
      contact?: object
      happens?: (contactId: string) => Promise<unknown>
      sentence: string
      facts: string[]
    }[] = [
      {
        it: 'name the event that never happened',
        automation: () => ({ trigger: 'EVENT', triggerConfig: { eventName: 'order.placed' } }),
        sentence:
          'The event “order.placed”, which starts the automation, never happened for the contact, or is no longer stored.',
        facts: ['ACTIVE TRUE: active', 'TRIGGER FALSE: never', 'ADDRESS TRUE: yes'],
      },
      {
        it: 'name the missing tag before anything that follows',
        automation: () => ({
          trigger: 'TAG_ADDED',
          triggerConfig: { tagName: 'Dormant' },
          entry: { filter: { metadata: 'plan', is: 'equal', value: 'pro' } },
        }),
        contact: { metadata: { plan: 'free' } },
        sentence: 'The contact does not have the tag “Dormant”, which starts the automation.',
        facts: [
          'ACTIVE TRUE: active',
          'TRIGGER FALSE: never',
          'FILTER FALSE: does not match: plan “free”',
          'ADDRESS TRUE: yes',
        ],
      },
      {
        it: 'tell when the contact was there before the automation',
        automation: () => ({ trigger: 'SIGNUP', triggerConfig: {} }),
        sentence:
          'The contact was created on TIME, before the automation was listening. It reacts only to what happens while it is active.',
        facts: ['ACTIVE TRUE: active', 'TRIGGER FALSE: TIME, before the automation was listening', 'ADDRESS TRUE: yes'],
      },
      {
        it: 'begin with the draft',
        automation: () => ({ trigger: 'EVENT', triggerConfig: { eventName: 'order.placed' }, status: 'DRAFT' }),
        sentence: 'The automation is not active yet.',
        facts: ['ACTIVE FALSE: draft', 'TRIGGER FALSE: never', 'ADDRESS TRUE: yes'],
      },
      {
        it: 'use the entry that the filter refused, with the values of now',
        automation: () => ({
          trigger: 'EVENT',
          triggerConfig: { eventName: 'trial.started' },
          entry: { filter: { metadata: 'plan', is: 'equal', value: 'pro' } },
        }),
        contact: { metadata: { plan: 'free' } },
        happens: async (contactId) => {
          await anEvent(service, contactId, 'trial.started')
          await service.call('PATCH', `contacts/${contactId}`, { metadata: { plan: 'pro' } })
        },
        sentence: 'The contact did not enter on TIME: the entry filter did not match.',
        facts: [
          'ACTIVE TRUE: active',
          'TRIGGER TRUE: TIME',
          'FILTER FALSE: did not match on TIME. As of now: matches: plan “pro”',
          'ADDRESS TRUE: yes',
        ],
      },
      {
        it: 'name a request without triggers',
        automation: () => ({ trigger: 'TAG_ADDED', triggerConfig: { tagName: 'quiet' } }),
        happens: async (contactId) => {
          const { email } = (await service.call('GET', `contacts/${contactId}`)).body.data
          await service.call('POST', 'contacts/bulk', { contacts: [{ email, tags: ['quiet'] }], triggers: false })
        },
        sentence: 'The contact did not enter on TIME: a request changed the contact with `triggers: false`.',
        facts: [
          'ACTIVE TRUE: active',
          'TRIGGER TRUE: TIME',
          'TRIGGERS_OFF FALSE: refused on TIME',
          'ADDRESS TRUE: yes',
        ],
      },
    ]
    cases.push(
      {
        it: 'name the concurrency key before the filter, which had the data of the event',
        automation: () => ({
          trigger: 'EVENT',
          triggerConfig: { eventName: 'keyed' },
          entry: {
            concurrency: { key: 'event.data.order' },
            filter: { eventData: 'total', is: 'equal', value: 10 },
          },
        }),
        happens: (contactId) => anEvent(service, contactId, 'keyed', { total: 10 }),
        sentence: 'The contact did not enter on TIME: the event had no usable concurrency key.',
        facts: [
          'ACTIVE TRUE: active',
          'TRIGGER TRUE: TIME',
          'KEY FALSE: refused on TIME',
          'FILTER TRUE: matches: total 10',
          'ADDRESS TRUE: yes',
        ],
      },
      {
        it: 'show a date that has not come',
        automation: () => ({ trigger: 'DATE', triggerConfig: { field: 'contact.metadata.renewal' } }),
        contact: { metadata: { renewal: '2031-05-05' } },
        sentence:
          'The date in renewal is 2031-05-05. The automation starts when it comes, and has not started for it yet.',
        facts: ['ACTIVE TRUE: active', 'TRIGGER FALSE: 2031-05-05', 'ADDRESS TRUE: yes'],
      },
    )
    it('do not take a member of a list for one who asked to join it', async () => {
      const listId = await aList(service)
      const contactId = await aContact(service, { listId })
      const asks = { type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }
      const id = await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId }, steps: [asks] })
      const { sentence } = await explain('automations', id, contactId)
      assert.match(sentence, /^The contact has not asked to join the list “.+”, which starts the automation\.$/)
    })
    it('tell a contact who was in the segment from one who has just entered it', async () => {
      const condition = { metadata: 'seats', is: 'more', value: 5 }
      const { body } = await service.call('POST', 'segments', { name: 'Large', condition })
      const before = await aContact(service, { metadata: { seats: 9 } })
      const id = await anAutomation(service, {
        trigger: 'SEGMENT_ENTERED',
        triggerConfig: { segmentId: body.data.id as string },
      })
      assert.equal(
        (await explain('automations', id, before)).sentence,
        'The contact was already in the segment “Large”. The automation starts for contacts who enter it.',
      )
      const outside = await aContact(service, { metadata: { seats: 2 } })
      assert.equal(
        (await explain('automations', id, outside)).sentence,
        'The contact is not in the segment “Large”, which starts the automation.',
      )
    })
    for (const { it: what, automation, contact, happens, sentence, facts } of cases)
      it(what, async () => {
        const contactId = await aContact(service, contact)
        const id = await anAutomation(service, await automation())
        await happens?.(contactId)
        const explanation = await explain('automations', id, contactId)
        assert.equal(explanation.sentence, sentence)
        assert.deepEqual(statesOf(explanation), facts)
        assert.deepEqual([explanation.outcome, explanation.enrollmentId], ['NOT_ENTERED', null])
      })
  })

  it('of an automation list the emails of the enrollment', async () => {
    const contactId = await aContact(service)
    const id = await anAutomation(service, {
      steps: [{ ...EMAIL, subject: 'First' }, wait(60), { ...EMAIL, subject: 'Second' }],
    })
    assert.equal((await enroll(service, id, contactId)).status, 202)
    await sentTo(service, contactId)
    const explanation = await eventually('the contact waits', async () => {
      const found = await explain('automations', id, contactId)
      return found.sentence.includes('Step 3') ? found : undefined
    })
    assert.equal(explanation.sentence, 'The contact has been in it since TIME. Step 3 of 3 is next, at TIME.')
    assert.deepEqual(
      explanation.facts.map(({ title, state, found }) => [title, state, found]),
      [
        ['Entered the automation', 'TRUE', 'TIME, version 1'],
        ['Email “First”', 'TRUE', 'sent on TIME'],
        ['Email “Second”', 'OPEN', 'not reached yet'],
        ['Address accepts email', 'TRUE', 'yes'],
      ],
    )
  })

  it('of an automation tell which email was suppressed, and why', async () => {
    const contactId = await aContact(service)
    const { email } = (await service.call('GET', `contacts/${contactId}`)).body.data
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    const id = await anAutomation(service, { steps: [{ ...EMAIL, subject: 'Tips' }] })
    await enroll(service, id, contactId)
    const explanation = await eventually('the enrollment ends', async () => {
      const found = await explain('automations', id, contactId)
      return found.sentence.includes('completed') ? found : undefined
    })
    assert.equal(
      explanation.sentence,
      'The email “Tips” was not sent: the contact has unsubscribed. The contact entered on TIME, and completed the automation on TIME.',
    )
    assert.equal(statesOf(explanation).at(-1), 'ADDRESS FALSE: unsubscribed on TIME')
  })

  describe('of a campaign', () => {
    const aCampaign = async (audience: object) => {
      const fields = { name: 'News', subject: 'News', text: 'Hello', audience }
      return (await service.call('POST', 'campaigns', fields)).body.data.id as string
    }
    const send = async (id: string) => {
      assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
      await campaignIs(service, id, 'SENT')
    }
    const add = (list: string, contactId: string) =>
      service.call('POST', `lists/${list}/contacts`, { contactIds: [contactId] })

    it('name a contact outside the audience, a late one, an excluded one, and a recipient', async () => {
      const list = await aList(service)
      const left = await aList(service)
      const [recipient, stranger, late, excluded, optedOut] = await Promise.all(
        Array.from({ length: 5 }, () => aContact(service)),
      )
      for (const each of [recipient!, excluded!, optedOut!]) await add(list, each)
      await add(left, excluded!)
      const { email } = (await service.call('GET', `contacts/${optedOut}`)).body.data
      await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
      const id = await aCampaign({ listIds: [list], exclude: { listIds: [left] } })
      const draft = await explain('campaigns', id, recipient!)
      assert.equal(draft.sentence, 'The campaign is a draft: it was not sent to any contact.')
      await send(id)
      await add(list, late!)
      const newcomer = await aContact(service)
      await add(list, newcomer)

      const names = new Map(
        await Promise.all(
          [list, left].map(async (each) => {
            const { body } = await service.call('GET', `lists/${each}`)
            return [each, body.data.name as string] as const
          }),
        ),
      )
      const sentences = {
        [recipient!]: ['SENT', 'The email was sent to the contact on TIME.'],
        [stranger!]: ['NOT_SENT', `The contact is not in the audience: list “${names.get(list)}”.`],
        [late!]: [
          'NOT_SENT',
          `The contact joined the list “${names.get(list)}” on TIME, after the audience was fixed.`,
        ],
        [excluded!]: ['NOT_SENT', `The contact is in the list “${names.get(left)}”, which the campaign excludes.`],
        [optedOut!]: ['NOT_SENT', 'The email was not sent: the contact has unsubscribed.'],
        [newcomer]: ['NOT_SENT', 'The contact was created on TIME, after the audience was fixed.'],
      }
      for (const [contactId, expected] of Object.entries(sentences)) {
        const { outcome, sentence } = await explain('campaigns', id, contactId)
        assert.deepEqual([outcome, sentence], expected)
      }
    })
  })

  it('of a campaign count who joins before it reaches them, and who waits for the winner', async () => {
    const list = await aList(service)
    const contacts = await Promise.all(Array.from({ length: 10 }, () => aContact(service)))
    for (const contactId of contacts) await service.call('POST', `lists/${list}/contacts`, { contactId })
    await setSender(service.context.orm.em.fork(), service.workspaceId, { trackOpens: true })
    const abTest = { variants: [{ subject: 'B' }], testPercent: 50, winnerBy: 'OPENED', afterMinutes: 60 }
    const fields = { name: 'Test', subject: 'A', text: 'Hello', audience: { listIds: [list] }, abTest }
    const { body } = await service.call('POST', 'campaigns', fields)
    const id = body.data.id as string
    assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
    await eventually('each is sent or waits for the winner', async () => {
      const all = await Promise.all(contacts.map((contactId) => explain('campaigns', id, contactId)))
      const waits = ({ outcome, sentence }: Explanation) =>
        outcome === 'WAITING' && sentence === 'The email waits for the winner of the A/B test.'
      // Half of them at random: all ten are in the test once in a thousand runs.
      return (all.some(waits) && all.every((each) => waits(each) || each.outcome === 'SENT')) || undefined
    })
    // As if it had paused before it reached a contact.
    const pausedId = (await service.call('POST', 'campaigns', { ...fields, abTest: null })).body.data.id as string
    await sql(
      service.context.orm.em.fork(),
      `update campaigns set status = 'PAUSED', started_at = now() - interval '1 hour', last_place = 9000000000 where id = $1::uuid`,
      [pausedId],
    )
    const { outcome, sentence } = await explain('campaigns', pausedId, contacts[0]!)
    assert.deepEqual(
      [outcome, sentence],
      ['WAITING', 'The campaign is paused. The contact is in the audience, and will get the email when it resumes.'],
    )
    await sql(service.context.orm.em.fork(), `update campaigns set status = 'CANCELLED' where id = $1::uuid`, [
      pausedId,
    ])
    const cut = await explain('campaigns', pausedId, contacts[0]!)
    assert.deepEqual(
      [cut.outcome, cut.sentence],
      ['NOT_SENT', 'The campaign was cancelled before it reached the contact.'],
    )
  })

  it('are refused for another workspace, and to keys that may not read contacts', async () => {
    const other = await openWorkspace()
    const contactId = await aContact(service)
    const id = await anAutomation(service)
    const foreign = await other.call('GET', `automations/${id}/explanations/${await aContact(other)}`)
    assert.equal(foreign.refused, '404 automation_not_found')
    const stranger = await service.call('GET', `automations/${id}/explanations/${await aContact(other)}`)
    assert.equal(stranger.refused, '404 contact_not_found')
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:read'] })
    const refused = await service.call('GET', `automations/${id}/explanations/${contactId}`, undefined, { key })
    assert.equal(refused.refused, '403 scope_missing')
  })
})
