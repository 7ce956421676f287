import assert from 'node:assert/strict'
import { anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Listed {
  name: string
  useCounts: { automations: number; campaigns: number; templates: number }
}

describe('the uses of templates', () => {
  let own: Service
  let other: Service
  before(async () => {
    own = await openWorkspace({ worker: false })
    other = await openWorkspace({ worker: false })
  })

  const create = async (service: Service, path: string, body: object): Promise<string> => {
    const made = await service.call('POST', path, body)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return (made.body as { data: { id: string } }).data.id
  }
  const aTemplate = (service: Service, name: string, fields: object = {}) =>
    create(service, 'templates', { name, subject: 'Hello', html: '<p>Hello</p>', ...fields })

  it('counts automations, campaigns and templates, each once', async () => {
    const layout = { kind: 'LAYOUT', subject: null, html: '<html><body>{{ content }}</body></html>' }
    const layoutId = await aTemplate(own, 'Frame', layout)
    const letter = await aTemplate(own, 'Letter', { layoutId })
    const variant = await aTemplate(own, 'Other', { layoutId })
    await aTemplate(own, 'Unused')
    const steps = [{ type: 'EMAIL', templateId: letter }, wait(5), { type: 'EMAIL', templateId: letter }]
    await anAutomation(own, { steps })
    const nested = { type: 'CONDITION', branches: [{ name: 'VIP', if: { tag: 'vip' }, steps }], else: [] }
    await anAutomation(own, { status: 'DRAFT', steps: [EMAIL, nested] })
    const deleted = await anAutomation(own, { status: 'DRAFT', steps })
    await own.call('DELETE', `automations/${deleted}`)
    const changed = await anAutomation(own, { status: 'DRAFT', steps })
    assert.equal((await own.call('PUT', `automations/${changed}/steps`, { steps: [EMAIL] })).status, 200)
    await create(own, 'campaigns', { name: 'A', templateId: letter })
    await create(own, 'campaigns', {
      name: 'B',
      templateId: letter,
      abTest: { variants: [{ templateId: variant }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 60 },
    })
    // The same names and uses in another workspace count there only.
    const theirs = await aTemplate(other, 'Letter')
    await create(other, 'campaigns', { name: 'A', templateId: theirs })

    const countsOf = async (service: Service, query: string) =>
      ((await service.call('GET', `templates?${query}`)).body.data as Listed[]).map(({ name, useCounts }) => [
        name,
        useCounts,
      ])
    assert.deepEqual(await countsOf(own, 'limit=2'), [
      ['Unused', { automations: 0, campaigns: 0, templates: 0 }],
      ['Other', { automations: 0, campaigns: 1, templates: 0 }],
    ])
    assert.deepEqual(await countsOf(own, 'limit=2&page=2'), [
      ['Letter', { automations: 2, campaigns: 2, templates: 0 }],
      ['Frame', { automations: 0, campaigns: 0, templates: 2 }],
    ])
    assert.deepEqual(await countsOf(other, ''), [['Letter', { automations: 0, campaigns: 1, templates: 0 }]])
  })
})
