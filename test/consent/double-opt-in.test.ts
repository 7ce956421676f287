import assert from 'node:assert/strict'
import { suppressMany } from '../../src/consent/suppress.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from '../support/eventually.ts'
import { importRows } from '../support/imports.ts'
import {
  aContact,
  activityOf,
  addressOf,
  aList,
  anAutomation,
  EMAIL,
  enroll,
  wait,
  sentTo,
} from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const ASKS = {
  type: 'EMAIL',
  category: 'transactional',
  subject: 'Please confirm',
  text: 'Press: {{ confirmUrl | default: "" }} .',
}
const WELCOME = { ...EMAIL, subject: 'Welcome' }

describe('double opt-in lists', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  let count = 0
  const em = () => service.context.orm.em.fork()
  const newAddress = () => `asked-${(count += 1)}@example.com`
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address)
  const saysTo = (address: string, subject: string) =>
    mailsTo(address).filter(({ headers }) => headers.includes(`Subject: ${subject}`))
  const askedTo = (address: string) =>
    eventually(`the confirmation email to ${address} arrives`, () => saysTo(address, 'Please confirm')[0])
  const linkIn = ({ body }: { body: string }) => {
    const [, path] = /https:\/\/mail\.example\.com(\/confirm\/[\w-]{66})/.exec(body.replaceAll('=\r\n', ''))!
    return `http://127.0.0.1:${service.port}${path}`
  }
  const confirm = (link: string, fields: Record<string, string> = { choice: 'confirm' }) =>
    fetch(link, { method: 'POST', body: new URLSearchParams(fields) })
  const confirmed = async (link: string) =>
    assert.match(await (await confirm(link)).text(), /Your subscription is confirmed/)
  const contact = async (id: string) =>
    (await service.call('GET', `contacts/${id}`)).body.data as { suppressedBy: string | null; listIds: string[] }
  const join = (list: string, fields: object) => service.call('POST', `lists/${list}/contacts`, fields)
  const signUp = async (email: string, listId: string, more: object = {}) =>
    (await service.call('POST', 'contacts', { email, listId, ...more })).body.data.id as string
  const pending = async (list: string) =>
    ((await service.call('GET', `lists/${list}/contacts?status=pending`)).body.data as { id: string }[]).map(
      ({ id }) => id,
    )

  /** The statuses of the enrollments of a contact in an automation. */
  const statuses = async (automationId: string, contactId: string) => {
    const query = 'select status from enrollments where automation_id = $1 and contact_id = $2'
    return (await sql<{ status: string }>(em(), query, [automationId, contactId])).map(({ status }) => status)
  }

  /** Creates a double opt-in list. @param steps of the automation that asks for confirmation */
  async function askingList(steps: object[] = [ASKS]): Promise<{ list: string; asking: string }> {
    const list = await aList(service)
    const asking = await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps })
    const { status, body } = await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })
    assert.equal(status, 200, JSON.stringify(body))
    return { list, asking }
  }

  /** Creates a double opt-in list, and a contact with a pending request. */
  async function asked(steps?: object[]) {
    const { list, asking } = await askingList(steps)
    const email = newAddress()
    const id = await signUp(email, list)
    return { list, asking, email, id, link: linkIn(await askedTo(email)) }
  }

  it('adds a contact only after they press the button on the confirmation page', async () => {
    const { list } = await askingList()
    const joins = { trigger: 'LIST_ADDED', triggerConfig: { listId: list } }
    const welcomeId = await anAutomation(service, { ...joins, steps: [WELCOME] })
    const id = await aContact(service)
    const address = await addressOf(service, id)
    const { body } = await join(list, { contactId: id })
    assert.deepEqual(body.data, { listId: list, added: 0, alreadyIn: 0, pending: 1, failed: 0, errors: [] })
    const link = linkIn(await askedTo(address))
    assert.deepEqual((await contact(id)).listIds, [])
    assert.deepEqual(await pending(list), [id])
    // Readers of the message must not be able to confirm for the contact.
    const { text } = (await sentTo(service, id))[0] as unknown as { text: string }
    assert.equal(text, 'Press: https://mail.example.com/confirm/… .')

    const page = await (await fetch(link)).text()
    assert.match(page, /<h1>Confirm your subscription<\/h1>/)
    assert.match(page, /<strong>List \d+<\/strong>/)
    // Other form fields confirm nothing.
    for (const fields of [{}, { choice: 'everything' }, { 'List-Unsubscribe': 'One-Click' }])
      assert.match(await (await confirm(link, fields)).text(), /Confirm your subscription/)
    assert.deepEqual((await contact(id)).listIds, [])
    assert.equal(saysTo(address, 'Welcome').length, 0)

    await confirmed(link)
    assert.deepEqual((await contact(id)).listIds, [list])
    assert.deepEqual(await pending(list), [])
    await eventually('the welcome email arrives', () => saysTo(address, 'Welcome')[0])
    // A second confirmation has no effect, even after the contact left the list.
    assert.match(await (await confirm(link)).text(), /There is nothing to confirm/)
    assert.equal((await service.call('DELETE', `lists/${list}/contacts/${id}`)).status, 200)
    assert.match(await (await confirm(link)).text(), /There is nothing to confirm/)
    assert.deepEqual((await contact(id)).listIds, [])
    assert.equal((await statuses(welcomeId, id)).length, 1)
  })

  it('sends nothing else to a contact created by joining until they confirm', async () => {
    const { list } = await askingList()
    const greetingId = await anAutomation(service, { trigger: 'SIGNUP', steps: [{ ...EMAIL, subject: 'Signed up' }] })
    const email = newAddress()
    const id = await signUp(email, list)
    assert.equal((await contact(id)).suppressedBy, 'UNCONFIRMED')
    const link = linkIn(await askedTo(email))
    // Marketing that they are enrolled in through the API.
    await enroll(service, await anAutomation(service), id)
    const message = await eventually('the message is suppressed', async () =>
      (await activityOf(service, id)).find(({ status }) => status === 'SUPPRESSED'),
    )
    assert.equal(message.error, 'The contact has not confirmed their sign-up')
    assert.equal(mailsTo(email).length, 1)

    await confirmed(link)
    assert.equal((await contact(id)).suppressedBy, null)
    await eventually('the sign-up email arrives', () => saysTo(email, 'Signed up')[0])
    // Contacts of other tests must not get this email.
    await service.call('PATCH', `automations/${greetingId}`, { status: 'PAUSED' })
  })

  it('asks for confirmation at most once a day, no matter how often an address is entered', async () => {
    const { list, asking, email, id, link: first } = await asked()
    for (let n = 0; n < 3; n += 1) {
      await service.call('POST', 'contacts', { email, listId: list })
      assert.equal((await join(list, { contactId: id })).body.data.pending, 1)
    }
    const times = async () =>
      (await sql(em(), `select from trigger_events where contact_id = $1 and type = 'LIST_REQUESTED'`, [id])).length
    assert.equal(await times(), 1)
    await hoursLater(id, 25)
    await eventually('the first enrollment has ended', async () =>
      (await statuses(asking, id)).includes('ACTIVE') ? undefined : true,
    )
    await join(list, { contactId: id })
    assert.equal(await times(), 2)
    await eventually('the next confirmation email arrives', () => saysTo(email, 'Please confirm')[1])
    // The first link still works.
    await confirmed(first)
  })

  it('asks an address for confirmation at most five times a day, regardless of the contact', async () => {
    const { list } = await askingList()
    const email = newAddress()
    for (let n = 0; n < 4; n += 1) {
      const id = await signUp(email, list)
      await eventually('the confirmation email arrives', () => saysTo(email, 'Please confirm')[n])
      await service.call('DELETE', `contacts/${id}`)
    }
    const id = await signUp(email, list)
    await eventually('the confirmation email arrives', () => saysTo(email, 'Please confirm')[4])
    // Changes to another address and back.
    await service.call('PATCH', `contacts/${id}`, { email: newAddress() })
    await join(list, { contactId: id })
    await service.call('PATCH', `contacts/${id}`, { email })
    await join(list, { contactId: id })
    await service.call('DELETE', `contacts/${id}`)
    const result = (await join(list, { contactId: await signUp(email, list) })).body.data
    assert.deepEqual([result.pending, result.alreadyIn, result.failed], [0, 0, 1])
    assert.match(result.errors[0].error as string, /five confirmation emails for this list within a day/)
    const counted = `select from confirmation_emails join lists on lists.id = list_id
      where list_id = $1 and address_hash = address_hash(workspace_id, $2::text)`
    assert.equal((await sql(em(), counted, [list, email])).length, 5)
    await sql(em(), `update confirmation_emails set at = at - interval '25 hours' where list_id = $1`, [list])
    await join(list, { contactId: (await service.call('POST', 'contacts', { email })).body.data.id as string })
    await eventually('the confirmation email of the next day arrives', () => saysTo(email, 'Please confirm')[5])
    assert.equal(saysTo(email, 'Please confirm').length, 6)
  })

  it('rejects a confirmation link that went to a former address', async () => {
    const { list, id, link } = await asked()
    const second = newAddress()
    await service.call('PATCH', `contacts/${id}`, { email: second })
    assert.match(await (await confirm(link)).text(), /nothing to confirm/)
    assert.deepEqual((await contact(id)).listIds, [])
    // The new address is asked immediately, and the old link stays invalid.
    await join(list, { contactId: id })
    const next = linkIn(await askedTo(second))
    assert.match(await (await confirm(link)).text(), /nothing to confirm/)
    await confirmed(next)
  })

  it('returns 404 for forged, truncated and foreign confirmation links', async () => {
    const { id, link } = await asked()
    const other = link.replace('/confirm/', '/unsubscribe/')
    for (const wrong of [link.slice(0, -1), `${link}A`, link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A'), other]) {
      assert.equal((await confirm(wrong)).status, 404, wrong)
    }
    assert.deepEqual((await contact(id)).listIds, [])
  })

  it('keeps an opt-out until the contact confirms, which also ends an unsubscribe', async () => {
    const { list } = await askingList()
    const id = await aContact(service)
    const email = await addressOf(service, id)
    await sql(em(), 'insert into list_opt_outs (list_id, contact_id) values ($1, $2)', [list, id])
    assert.equal((await join(list, { contactId: id })).refused, '409 contact_left_list')
    await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    assert.equal((await join(list, { contactId: id, resubscribe: true })).body.data.pending, 1)
    const link = linkIn(await askedTo(email))
    const out = async () => (await sql(em(), 'select from list_opt_outs where contact_id = $1', [id])).length
    assert.equal(await out(), 1)
    await confirmed(link)
    assert.equal(await out(), 0)
    assert.equal((await contact(id)).suppressedBy, null)
  })

  it('rejects a confirmation link after the contact was removed or erased, or the list was deleted', async () => {
    const { list, asking } = await askingList()
    const emails = [newAddress(), newAddress(), newAddress()]
    const ids: string[] = []
    for (const email of emails) ids.push(await signUp(email, list))
    const links: string[] = []
    for (const email of emails) links.push(linkIn(await askedTo(email)))
    assert.equal((await service.call('DELETE', `lists/${list}/contacts/${ids[0]}`)).status, 200)
    assert.equal((await service.call('DELETE', `contacts/${ids[1]}`)).status, 200)
    for (const link of links.slice(0, 2)) assert.match(await (await confirm(link)).text(), /nothing to confirm/)
    assert.equal((await service.call('DELETE', `lists/${list}`)).refused, '409 list_in_use')
    await service.call('PATCH', `automations/${asking}`, { status: 'PAUSED' })
    assert.equal((await service.call('DELETE', `lists/${list}`)).status, 200)
    assert.match(await (await confirm(links[2]!)).text(), /nothing to confirm/)
  })

  it('sends no confirmation email to an enrolled contact with nothing to confirm', async () => {
    const { asking } = await askingList()
    const id = await aContact(service)
    await enroll(service, asking, id)
    const message = await eventually('the message is suppressed', async () => (await activityOf(service, id))[0])
    assert.equal(message.status, 'SUPPRESSED')
    assert.match(message.error!, /No confirmation is pending/)
    assert.deepEqual(saysTo(await addressOf(service, id), 'Please confirm'), [])
  })

  it('confirms once when a link is used concurrently', async () => {
    const { list, id, link } = await asked()
    const answers = await Promise.all(Array.from({ length: 8 }, async () => (await confirm(link)).text()))
    assert.equal(answers.filter((text) => text.includes('Your subscription is confirmed')).length, 1)
    assert.deepEqual((await contact(id)).listIds, [list])
  })

  it('returns an error without an ACTIVE automation that asks for confirmation and contains the link', async () => {
    const list = await aList(service)
    const { refused: why } = await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })
    assert.equal(why, '409 confirmation_automation_missing')
    const create = (steps: object[]) =>
      service.call('POST', 'automations', {
        name: 'Asks',
        status: 'ACTIVE',
        trigger: 'LIST_REQUESTED',
        triggerConfig: { listId: list },
        steps,
      })
    for (const [steps, says] of [
      [
        [{ ...ASKS, category: 'marketing' }],
        /steps\[0\] goes to contacts who have not confirmed yet.*"category": "transactional"/,
      ],
      [[{ ...ASKS, text: 'Hi' }], /none of its emails has \{\{ confirmUrl \}\}/],
    ] as const) {
      const refused = await create([...steps])
      assert.equal(refused.status, 400)
      assert.match(refused.body.error as string, says)
    }
  })

  const waitsThreeDays = () => askingList([ASKS, wait(60 * 24 * 3), { ...ASKS, subject: 'Still?' }])
  /** Simulates the passage of hours since the contact was asked. */
  const hoursLater = async (contactId: string, hours: number) => {
    for (const [table, column] of [
      ['confirmation_requests', 'requested_at'],
      ['enrollments', 'enrolled_at'],
    ]) {
      const update = `update ${table} set ${column} = ${column} - make_interval(hours => $2) where contact_id = $1`
      await sql(em(), update, [contactId, hours])
    }
  }

  it('asks again while a reminder is pending, for a new address, after removal from the list, or a day later', async () => {
    const { list, asking } = await waitsThreeDays()
    const [first, second] = [newAddress(), newAddress()]
    const id = await signUp(first, list)
    await askedTo(first)
    await service.call('PATCH', `contacts/${id}`, { email: second })
    assert.equal((await join(list, { contactId: id })).body.data.pending, 1)
    await askedTo(second)
    await service.call('DELETE', `lists/${list}/contacts/${id}`)
    await join(list, { contactId: id })
    const again = await eventually('the next confirmation email arrives', () => saysTo(second, 'Please confirm')[1])
    await hoursLater(id, 25)
    await join(list, { contactId: id })
    await eventually('the third confirmation email arrives', () => saysTo(second, 'Please confirm')[2])
    await confirmed(linkIn(again))
    assert.deepEqual([...new Set(await statuses(asking, id))], ['CANCELLED'])
  })

  it('starts automations of a new contact’s tags only after the confirmation', async () => {
    const { list } = await askingList()
    const tag = `lead-${(count += 1)}`
    await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: tag }, steps: [WELCOME] })
    const email = newAddress()
    const id = await signUp(email, list, { tags: [tag] })
    const link = linkIn(await askedTo(email))
    assert.deepEqual(
      (await sentTo(service, id)).map(({ subject }) => subject),
      ['Please confirm'],
    )
    await confirmed(link)
    await eventually('the welcome email arrives', () => saysTo(email, 'Welcome')[0])
  })

  it('sends no reminder to a contact who was suppressed through the API or an import', async () => {
    for (const suppress of [
      (email: string) => service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' }),
      (email: string) => service.call('POST', 'suppressions', { email, reason: 'IMPORTED' }),
      (email: string) =>
        em().transactional((unit) => suppressMany(unit, service.workspaceId, [{ email, reason: 'UNSUBSCRIBED' }])),
    ]) {
      const { list, email, link } = await asked()
      await suppress(email)
      // A reminder is claimed only for pending contacts.
      assert.deepEqual(await pending(list), [])
      assert.match(await (await confirm(link)).text(), /nothing to confirm/)
    }
  })

  it('asks every contact who joins after double opt-in was turned on', async () => {
    for (const how of ['put into it', 'written with it']) {
      const list = await aList(service)
      await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [ASKS] })
      const email = newAddress()
      const id = await aContact(service, { email })
      const turnOn = `with locked as materialized (select pg_advisory_xact_lock(hashtextextended('list ' || $1, 0)))
        update lists set double_opt_in = true from locked where id = $1::uuid`
      const commit = await lockWith(em(), turnOn, [list])
      const joining =
        how === 'put into it'
          ? join(list, { contactId: id })
          : service.call('POST', 'contacts', { email, listId: list })
      await lockWaits(em())
      await commit()
      assert.ok((await joining).status < 300, how)
      assert.deepEqual(await pending(list), [id], how)
    }
  })

  it('keeps the last automation that asks for the confirmation of a list', async () => {
    const { list, asking } = await askingList()
    const alone = '409 automation_confirms_list'
    const patch = async (change: object) => (await service.call('PATCH', `automations/${asking}`, change)).refused
    assert.equal(await patch({ triggerConfig: { listId: await aList(service) } }), alone)
    assert.equal(await patch({ trigger: 'SIGNUP', triggerConfig: {} }), alone)
    assert.equal(await patch({ status: 'ARCHIVED' }), alone)
    assert.equal((await service.call('DELETE', `automations/${asking}`)).refused, alone)
    assert.equal((await service.call('PATCH', `automations/${asking}`, { name: 'Asks' })).status, 200)
    const trigger = { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [ASKS] }
    const another = await anAutomation(service, trigger)
    assert.equal((await service.call('DELETE', `automations/${asking}`)).status, 200)
    await service.call('PATCH', `lists/${list}`, { doubleOptIn: false })
    assert.equal((await service.call('DELETE', `automations/${another}`)).status, 200)
    assert.equal(
      (await service.call('POST', 'lists', { name: 'x', doubleOptIn: true })).refused,
      '409 confirmation_automation_missing',
    )
  })

  it('rejects one of two requests that concurrently turn off the last automations that ask for confirmation', async () => {
    const asks = (list: string) =>
      anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [ASKS] })
    for (let n = 0; n < 4; n += 1) {
      const list = await aList(service)
      const two = [await asks(list), await asks(list)]
      await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })
      const turnOff = (id: string) =>
        n % 2 === 0
          ? service.call('DELETE', `automations/${id}`)
          : service.call('PATCH', `automations/${id}`, { status: 'ARCHIVED' })
      const answers = await Promise.all(two.map(turnOff))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    }
  })

  it('sends the confirmation email once the paused automation is active again', async () => {
    const { list, asking } = await askingList()
    const email = newAddress()
    await service.call('PATCH', `automations/${asking}`, { status: 'PAUSED' })
    for (let n = 0; n < 6; n += 1) {
      const id = await signUp(email, list)
      assert.equal((await service.call('DELETE', `lists/${list}/contacts/${id}`)).status, 200)
    }
    await service.call('PATCH', `automations/${asking}`, { status: 'ACTIVE' })
    await signUp(email, list)
    await eventually('the confirmation email arrives', () => mailsTo(email)[0])
  })

  it('sends a confirmation email immediately if an import, a paused automation or a rejection prevented the first one', async () => {
    const { list, asking } = await askingList()
    const joined = newAddress()
    const body = { name: 'x.csv', text: `email\n${joined}\n`, consent: 'SUBSCRIBED', listId: list, start: true }
    await importRows(service, (await service.call('POST', 'imports', body)).body.data.id as string)
    await signUp(joined, list)
    await eventually('the confirmation email arrives', () => mailsTo(joined)[0])

    const paused = newAddress()
    await service.call('PATCH', `automations/${asking}`, { status: 'PAUSED' })
    await signUp(paused, list)
    await service.call('PATCH', `automations/${asking}`, { status: 'ACTIVE' })
    await signUp(paused, list)
    await eventually('the confirmation email arrives', () => mailsTo(paused)[0])

    const refused = newAddress()
    sink.behave({ code: 550, text: 'Not today', at: 'rcpt' })
    const rejectedId = await signUp(refused, list)
    await eventually('the email fails', async () => {
      const rows = await sql(em(), `select from messages where contact_id = $1 and status = 'FAILED'`, [rejectedId])
      return rows.length > 0 || undefined
    })
    sink.behave('accept')
    await signUp(refused, list)
    await eventually('the confirmation email arrives', () => mailsTo(refused)[0])
    assert.deepEqual(
      [joined, paused, refused].map((address) => mailsTo(address).length),
      [1, 1, 1],
    )
  })
})
