import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('X-Warning', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const warning = async (...request: Parameters<Service['call']>) =>
    (await service.call(...request)).headers.get('x-warning')

  const unknownVariable = {
    name: 'x',
    trigger: 'SIGNUP',
    steps: [{ type: 'EMAIL', subject: 'Hello {{ contact.firstname }}', text: 'x' }],
  }

  it('names unknown variables of a template', async () => {
    assert.equal(
      await warning('POST', 'automations', unknownVariable),
      '/steps/0/subject: {{ contact.firstname }} is not a known variable, so it is empty in every email; did you mean contact.firstName?',
    )
  })

  it('is omitted if there is none', async () => {
    assert.equal(await warning('POST', 'contacts', { email: 'a@b.example' }), null)
    assert.equal(await warning('GET', 'contacts?tag=vip&page=1'), null)
  })

  it('replays the warning of an idempotent response', async () => {
    const options = { headers: { 'idempotency-key': 'warned' } }
    const first = await warning('POST', 'automations', unknownVariable, options)
    assert.match(first ?? '', /firstname/)
    assert.equal(await warning('POST', 'automations', unknownVariable, options), first)
  })
})
