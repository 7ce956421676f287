import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact } from '../support/factories.ts'
import { setSender } from '../../src/senders/settings.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the preview of an email', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const preview = (body: object) => service.call('POST', 'emails/preview', body)

  it('renders what would be sent to a contact after an event', async () => {
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

  it('shows the footer of a marketing email, with the postal address of its workspace and in the language of the contact', async () => {
    await setSender(service.context.orm.em.fork(), service.workspaceId, { postalAddress: '1 Apple Lane, Orchard' })
    const other = await openWorkspace({ worker: false })
    await aContact(service, { email: 'jan@example.com', metadata: { locale: 'nl' } })
    const email = { text: 'Hallo', html: '<p>Hallo</p>', contactId: 'email:jan@example.com' }
    const { text, html } = (await preview({ ...email, category: 'marketing' })).body.data
    assert.match(text, /^Hallo\n\n-- \n1 Apple Lane, Orchard\nAfmelden: http\S+\/unsubscribe\/preview\n$/)
    assert.match(html, /^<p>Hallo<\/p><div lang="nl".*1 Apple Lane, Orchard<br><a href="http\S+" .*>Afmelden<\/a>/)
    for (const category of ['transactional', undefined]) {
      const plain = (await preview({ ...email, category })).body.data
      assert.deepEqual([plain.text, plain.html], ['Hallo', '<p>Hallo</p>'])
    }
    const theirs = await other.call('POST', 'emails/preview', { text: 'Hi', category: 'marketing' })
    assert.match(theirs.body.data.text, /^Hi\n\n-- \nUnsubscribe: http/)
  })

  it('escapes HTML, and uses a sample contact if none is given', async () => {
    await aContact(service, { email: 'x@example.com', firstName: '<img src=x onerror=alert(1)>' })
    const { body } = await preview({ html: '{{ contact.firstName }}', contactId: 'email:x@example.com' })
    assert.equal(body.data.html, '&lt;img src=x onerror=alert(1)&gt;')
    assert.equal((await preview({ subject: '{{ contact.firstName }}' })).body.data.subject, 'Ada')
  })

  it('reports problems, and unknown variables with the nearest known one', async () => {
    const { body } = await preview({ subject: '{% if %}', text: '{{ contact.fristName }}' })
    assert.deepEqual([body.data.subject, body.data.text], [null, null])
    assert.equal(body.data.problems[0].field, 'subject')
    const unknown = await preview({ subject: 'x', text: '{{ contact.fristName }}' })
    assert.partialDeepStrictEqual(unknown.body.data.unknownVariables, [
      { field: 'text', variable: 'contact.fristName', nearest: 'contact.firstName' },
    ])
  })

  it('writes no idempotency key and no audit entry', async () => {
    const headers = { 'idempotency-key': 'previewed' }
    await service.call('POST', 'emails/preview', { subject: 'x' }, { headers })
    const { em } = service.context.orm
    assert.deepEqual(await sql(em.fork(), `select from idempotency_keys where key = 'previewed'`), [])
    assert.deepEqual(await sql(em.fork(), `select from audit_entries where operation = 'previewEmail'`), [])
  })

  it('returns 404 for an unknown contact, and 403 for a key that may not read contacts', async () => {
    assert.equal((await preview({ contactId: 'email:nobody@example.com' })).refused, '404 contact_not_found')
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:write'] })
    assert.equal((await service.call('POST', 'emails/preview', {}, { key })).refused, '403 scope_missing')
  })
})
