import assert from 'node:assert/strict'
import { setPreferences } from '../../src/consent/preferences.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { addressOf, aContact, aList, anAutomation, EMAIL, enroll, sentTo } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

interface Change {
  at: string
  change: string
  by: string | null
  reason: string | null
  note: string | null
  listId: string | null
  listName: string | null
  messageId: string | null
  subject: string | null
}

describe('the consent history of a contact', () => {
  let service: Service
  let other: Service
  useServiceAndSink((started) => ({ service } = started))
  before(async () => (other = await openWorkspace()))

  const em = () => service.context.orm.em.fork()
  const historyOf = async (contactId: string): Promise<Change[]> => {
    const { status, body } = await service.call('GET', `contacts/${contactId}/consent`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data as Change[]
  }
  /** One line for each change: what, who, and the list or the message. */
  const linesOf = async (contactId: string) =>
    (await historyOf(contactId)).map(({ change, reason, by, note, listName, subject }) =>
      [change, reason, by, note, listName, subject].filter((text) => text !== null).join(' / '),
    )
  const namedList = async (name: string, fields: object = {}) => {
    const id = await aList(service)
    await service.call('PATCH', `lists/${id}`, { name, public: true, ...fields })
    return id
  }
  /** Sends an email to a new contact. @returns the ID that its links contain */
  const mailed = async (subject: string) => {
    const contactId = await aContact(service, { firstName: 'Ada' })
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, subject }] })
    await enroll(service, automationId, contactId)
    await sentTo(service, contactId)
    const { body } = await service.call('GET', `contacts/${contactId}/enrollments`)
    return { contactId, originId: body.data[0].id as string }
  }
  const choose = (of: { contactId: string; originId: string }, change: Parameters<typeof setPreferences>[2]) =>
    setPreferences(service.context.dependencies, of, change)

  it('is empty for a contact about whom nothing is stored, and unknown in another workspace', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    // The same address in another workspace is another contact.
    const foreign = await aContact(other, { email })
    await other.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    assert.deepEqual(await historyOf(contactId), [])
    assert.equal((await service.call('GET', `contacts/${foreign}/consent`)).status, 404)
    assert.equal((await other.call('GET', `contacts/${foreign}/consent`)).body.data.length, 1)
  })

  it('names the key or the member who suppressed the address', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED', note: 'Asked by phone' })
    const editor = await aMember(service, 'editor')
    const body = { email, reason: 'MANUAL' }
    await editor.browser.ask('POST', 'suppressions', { body, workspaceId: service.workspaceId })
    assert.deepEqual(await linesOf(contactId), [
      'SUPPRESSED / MANUAL / MEMBER',
      'SUPPRESSED / UNSUBSCRIBED / API_KEY / Asked by phone',
    ])
    // Names are in the audit log, for owners.
    assert.equal(JSON.stringify(await historyOf(contactId)).includes(editor.email), false)
  })

  it('names an operator who suppressed the address on the command line', async () => {
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    const { body } = await service.call('POST', 'suppressions', { email, reason: 'MANUAL' })
    await sql(
      em(),
      `update audit_entries set actor = 'command line' where workspace_id = $1::uuid and target_id = $2::uuid`,
      [service.workspaceId, body.data.id],
    )
    assert.deepEqual(await linesOf(contactId), ['SUPPRESSED / MANUAL / OPERATOR'])
  })

  it('names the email whose link unsubscribed the contact, also after they subscribed again', async () => {
    const link = await mailed('Half of your trial')
    await choose(link, { kind: 'nothing' })
    assert.deepEqual(await linesOf(link.contactId), ['SUPPRESSED / UNSUBSCRIBED / CONTACT / Half of your trial'])
    await choose(link, { kind: 'everything' })
    assert.deepEqual(await linesOf(link.contactId), ['UNSUBSCRIBED / CONTACT / Half of your trial'])
    const [{ messageId } = { messageId: null }] = await historyOf(link.contactId)
    const { body } = await service.call('GET', `messages/${messageId}`)
    assert.equal(body.data.subject, 'Half of your trial')
  })

  it('lists the lists that the contact joined, left and has to confirm, newest first', async () => {
    const link = await mailed('Weekly tips')
    const { contactId } = link
    const [tips, product, beta] = [await namedList('Tips'), await namedList('Product'), await namedList('Beta')]
    await anAutomation(service, {
      trigger: 'LIST_REQUESTED',
      triggerConfig: { listId: beta },
      steps: [{ ...EMAIL, category: 'transactional', text: '{{ confirmUrl }}' }],
    })
    await service.call('PATCH', `lists/${beta}`, { doubleOptIn: true })
    for (const list of [tips, product, beta]) await service.call('POST', `lists/${list}/contacts`, { contactId })
    await choose(link, { kind: 'lists', ids: [product] })
    assert.deepEqual(await linesOf(contactId), [
      'LEFT_LIST / CONTACT / Tips / Weekly tips',
      'ASKED_TO_CONFIRM / Beta',
      'JOINED_LIST / Product',
    ])
  })

  it('has the latest hundred changes', async () => {
    const contactId = await aContact(service)
    await sql(
      em(),
      `with list as (
         insert into lists (id, workspace_id, name)
         select gen_random_uuid(), $1::uuid, 'List ' || n from generate_series(1, 105) n returning id, name
       )
       insert into list_members (list_id, contact_id, added_at)
       select id, $2::uuid, timestamptz '2026-01-01' + substr(name, 6)::integer * interval '1 day' from list`,
      [service.workspaceId, contactId],
    )
    const history = await historyOf(contactId)
    assert.equal(history.length, 100)
    assert.equal(history[0]!.listName, 'List 105')
    assert.equal(history[99]!.listName, 'List 6')
  })
})
