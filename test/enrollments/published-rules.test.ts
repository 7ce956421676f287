import assert from 'node:assert/strict'
import { leaveByConditions } from '../../src/enrollments/leave-sweep.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, anEvent, enroll, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** The rules of two versions, what a contact does to match both, and the status after a match. */
const VERSIONS: Record<string, [earlier: object, later: object, contactDoes: string[], statusAfter: string]> = {
  'an event': [
    { exitOn: [{ eventName: 'earlier' }] },
    { exitOn: [{ eventName: 'later' }] },
    ['event earlier', 'event later'],
    'EXITED',
  ],
  'a condition': [
    { exitOn: [{ condition: { tag: 'earlier' } }] },
    { exitOn: [{ condition: { tag: 'later' } }] },
    ['tag earlier', 'tag later'],
    'EXITED',
  ],
  'a goal': [
    { goal: { eventName: 'earlier' } },
    { goal: { eventName: 'later' } },
    ['event earlier', 'event later'],
    'GOAL_REACHED',
  ],
  'no more rules': [{ exitOn: [{ eventName: 'earlier' }] }, { exitOn: [] }, ['event earlier'], 'EXITED'],
}

describe('rules that are changed while contacts are in the automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const statusOf = async (contactId: string) => {
    const { body } = await service.call('GET', `contacts/${contactId}/enrollments`)
    return (body.data as { status: string }[])[0]!.status
  }
  async function does(contactId: string, what: string) {
    const [kind, name = ''] = what.split(' ')
    const done =
      kind === 'event'
        ? await anEvent(service, contactId, name)
        : await service.call('POST', `contacts/${contactId}/tags`, { tags: [name] })
    assert.equal(done.refused, undefined)
    await leaveByConditions({ em: service.context.orm.em })
  }

  for (const [what, [earlier, later, contactDoes, left]] of Object.entries(VERSIONS))
    it(`keep applying to contacts who entered with them: ${what}`, async () => {
      const automationId = await anAutomation(service, { steps: [wait(60)], ...earlier })
      const [first, second] = [await aContact(service), await aContact(service)]
      await enroll(service, automationId, first)
      assert.equal((await service.call('PATCH', `automations/${automationId}`, later)).status, 200)
      await enroll(service, automationId, second)
      const [byEarlier = '', byLater] = contactDoes
      // Each contact first matches only the rule of the other version, which must have no effect.
      await does(second, byEarlier)
      if (byLater !== undefined) await does(first, byLater)
      assert.deepEqual([await statusOf(first), await statusOf(second)], ['ACTIVE', 'ACTIVE'])
      await does(first, byEarlier)
      await eventually('the first has left', async () => (await statusOf(first)) === left || undefined)
      assert.equal(await statusOf(second), 'ACTIVE')
      if (byLater === undefined) return
      await does(second, byLater)
      await eventually('the second has left', async () => (await statusOf(second)) === left || undefined)
    })
})
