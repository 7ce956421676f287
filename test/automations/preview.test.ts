import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

describe('the preview of an email', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  const preview = (body: object) => service.call('POST', 'emails/preview', body)

  it('is as it would be sent to a contact, by an event', async () => {
    const email = 'grace@example.com'
    await aContact(service, { email, firstName: 'Grace', metadata: { plan: 'pro' } })
    const { body } = await preview({
      subject: 'Hello {{ contact.firstName }}',
      text: '{{ contact.metadata.plan }} {{ event.data.days }}',
      html: '<b>{{ contact.firstName }}</b>',
      contactId: `email:${email}`,
      event: { name: 'trial.started', data: { days: 14 } },
    })
    assert.deepEqual(body.data, {
      to: email,
      subject: 'Hello Grace',
      text: 'pro 14',
      html: '<b>Grace</b>',
      problems: [],
      unknownVariables: [],
    })
  })

  it('is for somebody made up where nobody is named, and escapes what it must', async () => {
    await aContact(service, { email: 'x@example.com', firstName: '<img src=x onerror=alert(1)>' })
    const { body } = await preview({ html: '{{ contact.firstName }}', contactId: 'email:x@example.com' })
    assert.equal(body.data.html, '&lt;img src=x onerror=alert(1)&gt;')
    assert.equal((await preview({ subject: '{{ contact.firstName }}' })).body.data.subject, 'Ada')
  })

  it('tells what is wrong, and what is most likely not meant', async () => {
    const { body } = await preview({ subject: '{% if %}', text: '{{ contact.fristName }}' })
    assert.deepEqual([body.data.subject, body.data.text], [null, null])
    assert.equal(body.data.problems[0].field, 'subject')
    const unknown = await preview({ subject: 'x', text: '{{ contact.fristName }}' })
    assert.partialDeepStrictEqual(unknown.body.data.unknownVariables, [
      { field: 'text', variable: 'contact.fristName', nearest: 'contact.firstName' },
    ])
  })

  it('changes nothing: nothing of it is kept, or told of', async () => {
    const headers = { 'idempotency-key': 'previewed' }
    await service.call('POST', 'emails/preview', { subject: 'x' }, { headers })
    const { em } = service.context.orm
    assert.deepEqual(await sql(em.fork(), `select from idempotency_keys where key = 'previewed'`), [])
    assert.deepEqual(await sql(em.fork(), `select from audit_entries where operation = 'previewEmail'`), [])
  })

  it('is for nobody whom there is not, or whom a key may not read', async () => {
    assert.equal((await preview({ contactId: 'email:nobody@example.com' })).refused, '404 contact_not_found')
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:write'] })
    assert.equal((await service.call('POST', 'emails/preview', {}, { key })).refused, '403 scope_missing')
  })
})
