import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { aContact, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const page = readFileSync(new URL('../../docs/publishing.md', import.meta.url), 'utf8')
const [automation, preview, move] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json]) => json!)
const [previewed, published] = [...page.matchAll(/-d '(.*?)'\n```/gs)].map(([, json]) => json!)

describe('the documentation of publishing', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('has requests that work, and their responses', async () => {
    const created = await service.call('POST', 'automations', JSON.parse(automation!))
    assert.equal(created.status, 201)
    const { id, steps } = created.body.data as { id: string; steps: { id: string }[] }
    for (let n = 0; n < 3; n += 1) await enroll(service, id, await aContact(service))
    const ids = [steps[0]!.id, steps[1]!.id, id]
    const inPage = (json: string) =>
      JSON.parse(
        json.replace(/01981e61-0000-7000-8000-00000000000(\d)/g, (_, n: string) => ids[Number(n) - 1]!),
      ) as object
    const counted = await service.call('POST', `automations/${id}/publish/preview`, inPage(previewed!))
    assert.deepEqual(counted.body, inPage(preview!))
    const answer = await service.call('POST', `automations/${id}/publish`, inPage(published!))
    assert.equal(answer.status, 200)
    const { body } = await service.call('GET', `automations/${id}/move`)
    const { data } = inPage(move!) as { data: object }
    assert.deepEqual({ ...body.data, startedAt: '2026-11-30T12:00:00.000Z' }, data)
  })
})
