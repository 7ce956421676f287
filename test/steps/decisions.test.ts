import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

interface Decision {
  id: string
  kind: string
  enrollmentId: string | null
  branch: string | null
  rule: string | null
  stepType: string | null
  version: number | null
  finishedAt: string | null
  sentence: string
}

describe('the decisions about a contact', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  const pageOf = async (contactId: string, query = '') =>
    (await service.call('GET', `contacts/${contactId}/decisions${query}`)).body as {
      data: Decision[]
      pagination: { nextCursor: string | null }
    }
  const have = (contactId: string, count: number) =>
    eventually('the decisions are recorded', async () => {
      const { data } = await pageOf(contactId)
      return data.length === count ? data : undefined
    })

  it('name the branch, the event and the reason why an email was not sent', async () => {
    const automationId = await anAutomation(service, {
      steps: [
        {
          type: 'CONDITION',
          branches: [{ name: 'Pro plan', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }],
        },
        { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 },
        EMAIL,
      ],
    })
    const contactId = await aContact(service, { metadata: { plan: 'pro' } })
    await service.call('POST', 'suppressions', { email: await addressOf(service, contactId) })
    await enroll(service, automationId, contactId)
    const [waiting, branch] = await have(contactId, 2)
    assert.partialDeepStrictEqual(branch, {
      ...{ kind: 'STEP', stepType: 'CONDITION', branch: 'Pro plan', version: 1 },
      sentence: 'Took the branch “Pro plan”: its condition was the first that matched.',
    })
    assert.match(waiting!.sentence, /^Waits for project\.created until /)
    assert.equal(waiting!.finishedAt, null)
    await anEvent(service, contactId, 'project.created')
    const all = await have(contactId, 3)
    assert.equal(all[1]!.sentence, 'Waited for project.created; received it.')
    assert.equal(all[0]!.kind, 'EMAIL')
    assert.match(all[0]!.sentence, /^The email was not sent: /)

    const first = await pageOf(contactId, '?limit=2')
    const second = await pageOf(contactId, `?limit=2&cursor=${first.pagination.nextCursor}`)
    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }) => id),
      all.map(({ id }) => id),
    )
    assert.equal(second.pagination.nextCursor, null)
    assert.equal((await pageOf(contactId, `?enrollmentId=${branch!.enrollmentId}`)).data.length, 3)
  })

  it('include entries that a rule refused, and belong to one contact', async () => {
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'signed' },
      entry: { filter: { eventData: 'plan', is: 'equal', value: 'pro' } },
    })
    const contactId = await aContact(service)
    await anEvent(service, contactId, 'signed', { plan: 'free' })
    const [refused] = (await pageOf(contactId, `?automationId=${automationId}`)).data
    assert.partialDeepStrictEqual(refused, {
      ...{ kind: 'ENTRY', rule: 'FILTER', enrollmentId: null },
      sentence: 'Was not enrolled: the entry filter did not match.',
    })
    assert.deepEqual((await pageOf(await aContact(service))).data, [])
    assert.equal((await pageOf(contactId, '?automationId=unknown')).data.length, 0)
  })
})
