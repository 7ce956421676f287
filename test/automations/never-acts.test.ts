import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { aContact, aList, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

/** An automation that can never act must not be ACTIVE, because its owner would not find out why nothing happens. */
describe('an automation that can never act', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const able = { name: 'x', trigger: 'EVENT', triggerConfig: { eventName: 'go' }, steps: [EMAIL] }
  const create = (fields: object) => service.call('POST', 'automations', { ...able, ...fields })
  const patch = (id: string, change: object) => service.call('PATCH', `automations/${id}`, change)

  /** Creates an automation that cannot be ACTIVE, neither when it is created nor later. @returns the ID of its draft */
  async function staysADraft(fields: object, reason: RegExp) {
    const refused = await create({ ...fields, status: 'ACTIVE' })
    assert.equal(refused.refused, '400 automation_never_acts', JSON.stringify(fields))
    assert.match(refused.body.error, /^This automation cannot be ACTIVE: /)
    assert.match(refused.body.error, reason)
    const draft = await create(fields)
    assert.equal(draft.status, 201)
    const { id } = draft.body.data as { id: string }
    const activated = await patch(id, { status: 'ACTIVE' })
    assert.deepEqual([activated.refused, activated.body], ['400 automation_never_acts', refused.body])
    assert.equal((await service.call('GET', `automations/${id}`)).body.data.status, 'DRAFT')
    return id
  }

  it('stays a DRAFT if its trigger or its steps are incomplete', async () => {
    for (const [fields, reason] of [
      [{ triggerConfig: {} }, /requires triggerConfig\.eventName, the name of the event/],
      [{ triggerConfig: undefined }, /requires triggerConfig\.eventName/],
      [{ trigger: 'LIST_ADDED' }, /requires triggerConfig\.listId, the list's ID/],
      [{ trigger: 'LIST_ADDED', triggerConfig: { listId: 'Newsletter' } }, /triggerConfig\.listId is not a valid ID/],
      [{ trigger: 'TAG_ADDED' }, /requires triggerConfig\.tagName, the tag's name/],
      [{ steps: [] }, /it has no steps, and needs at least one/],
      [{ steps: [wait(5), { type: 'EMAIL', subject: 's' }] }, /steps\[1\] is an email without a body/],
      [
        { steps: [{ type: 'EMAIL', subject: 's', html: '', text: null }] },
        /steps\[0\] is an email without a body, and needs html, text or both/,
      ],
    ] as const)
      await staysADraft(fields, reason)
  })

  it('returns 400 for a change that would keep an ACTIVE automation from ever acting', async () => {
    const { body } = await create({ status: 'ACTIVE' })
    const { id } = body.data
    assert.equal((await patch(id, { triggerConfig: {} })).refused, '400 automation_never_acts')
    assert.equal((await patch(id, { trigger: 'TAG_ADDED' })).refused, '400 automation_never_acts')
    const steps = await service.call('PUT', `automations/${id}/steps`, { steps: [] })
    assert.match(steps.body.error, /it has no steps/)
    const { data } = (await service.call('GET', `automations/${id}`)).body
    assert.deepEqual([data.triggerConfig, data.steps.length], [{ eventName: 'go' }, 1])
    assert.equal((await patch(id, { triggerConfig: {}, status: 'PAUSED' })).status, 200)
    assert.equal((await service.call('PUT', `automations/${id}/steps`, { steps: [] })).status, 200)
  })

  it('can be ACTIVE if it is complete', async () => {
    for (const fields of [
      { trigger: 'SIGNUP', triggerConfig: {} },
      { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'vip' } },
      { steps: [wait(5)] },
      { steps: [{ type: 'EMAIL', subject: 's', html: '<p>x</p>' }] },
    ])
      assert.equal((await create({ ...fields, status: 'ACTIVE' })).status, 201, JSON.stringify(fields))
  })

  it('stays a DRAFT while its trigger names a list that is not in the workspace', async () => {
    const another = { key: await service.newKey() }
    const theirs = await service.call('POST', 'lists', { name: 'theirs' }, another)
    for (const listId of [newId(), theirs.body.data.id as string]) {
      const fields = { trigger: 'LIST_ADDED', triggerConfig: { listId } }
      const id = await staysADraft(fields, /triggerConfig\.listId is not a list of this workspace/)
      const triggerConfig = { listId: (await aList(service)).toUpperCase() }
      assert.equal((await patch(id, { status: 'ACTIVE', triggerConfig })).status, 200)
      assert.equal((await patch(id, { triggerConfig: { listId } })).refused, '400 automation_never_acts')
      assert.equal((await patch(id, { name: 'renamed' })).status, 200)
    }
  })

  // Four-byte characters that do not compress.
  const long = (length: number) =>
    Array.from({ length }, (_, n) => String.fromCodePoint(0x20000 + ((n * 7919) % 40_000))).join('')
  for (const [trigger, key, max] of [
    ['EVENT', 'eventName', 1_000],
    ['TAG_ADDED', 'tagName', 100],
  ] as const) {
    it(`accepts a ${key} as long as an event or tag may be, and rejects a longer one`, async () => {
      const triggerConfig = { [key]: long(max) }
      const made = await create({ trigger, triggerConfig, status: 'ACTIVE' })
      assert.equal(made.status, 201)
      const contactId = await aContact(service)
      if (trigger === 'EVENT') {
        const fired = await service.call('POST', `contacts/${contactId}/events`, { name: long(max) })
        assert.deepEqual([fired.status, fired.body.data.matchingAutomations], [202, 1])
      }
      for (const status of ['DRAFT', 'ACTIVE']) {
        const refused = await create({ trigger, triggerConfig: { [key]: long(max + 1) }, status })
        assert.equal(refused.refused, '400 invalid_request')
        assert.equal(refused.body.error, `triggerConfig.${key} must not be longer than ${max} characters`)
      }
      const longer = await patch(made.body.data.id, { triggerConfig: { [key]: long(max + 1) } })
      assert.equal(longer.refused, '400 invalid_request')
    })
  }
})
