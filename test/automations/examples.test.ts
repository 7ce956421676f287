import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const FOLDER = new URL('../../examples/', import.meta.url)
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))

describe('examples of automations', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  /** The segment, which the recipe cannot name. */
  const missingPart = async ({ trigger }: { trigger: string }) => {
    if (trigger !== 'SEGMENT_ENTERED') return {}
    const { body } = await service.call('POST', 'segments', { name: 'Inactive', condition: { tag: 'inactive' } })
    return { triggerConfig: { segmentId: body.data.id as string } }
  }

  for (const name of NAMES) {
    it(`creates ${name} as a draft that can be activated`, async () => {
      const recipe = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as { name: string; trigger: string }
      const created = await service.call('POST', 'automations', recipe)
      assert.equal(created.status, 201, JSON.stringify(created.body))
      assert.partialDeepStrictEqual(created.body.data, { name: recipe.name, status: 'DRAFT' })
      const change = { status: 'ACTIVE', ...(await missingPart(recipe)) }
      const { status } = await service.call('PATCH', `automations/${created.body.data.id}`, change)
      assert.equal(status, 200)
      // A client can write back what it read.
      const { steps, entry, exitOn, goal } = created.body.data
      const again = await service.call('PUT', `automations/${created.body.data.id}/steps`, { steps })
      assert.equal(again.status, 200, JSON.stringify(again.body))
      const rules = await service.call('PATCH', `automations/${created.body.data.id}`, { entry, exitOn, goal })
      assert.equal(rules.status, 200, JSON.stringify(rules.body))
    })
  }
})
