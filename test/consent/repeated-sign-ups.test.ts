import assert from 'node:assert/strict'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { importRows } from '../support/imports.ts'
import { aList, anAutomation } from '../support/factories.ts'
import { startProxy, type Proxy } from '../support/proxy.ts'
import { services } from '../support/servers.ts'
import { startService, type Service } from '../support/service.ts'

const ASKS = { type: 'EMAIL', category: 'transactional', subject: 'Please confirm', text: 'Press: {{ confirmUrl }} .' }

describe('repeated sign-ups with the same address', () => {
  let service: Service
  let sink: SmtpSink
  let temporal: Proxy
  before(async () => {
    sink = await startSmtpSink()
    temporal = await startProxy(Number((await services()).temporalAddress.split(':')[1]))
    const TEMPORAL_ADDRESS = `127.0.0.1:${temporal.port}`
    service = await startService({
      env: { SMTP_URL: sink.url, PUBLIC_URL: 'https://mail.example.com', TEMPORAL_ADDRESS },
    })
  })
  after(async () => {
    await service.stop()
    await sink.close()
    await temporal.close()
  })
  const em = () => service.context.orm.em.fork()
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address).length
  const askingList = async () => {
    const list = await aList(service)
    const asking = await anAutomation(service, {
      trigger: 'LIST_REQUESTED',
      triggerConfig: { listId: list },
      steps: [ASKS],
    })
    assert.equal((await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })).status, 200)
    return { list, asking }
  }
  const type = async (email: string, listId: string): Promise<string> => {
    const { status, body } = await service.call('POST', 'contacts', { email, listId })
    assert.ok(status < 300, JSON.stringify(body))
    return body.data.id as string
  }
  const later = (
    table: 'confirmation_requests' | 'enrollments' | 'messages',
    column: string,
    id: string,
    seconds: number,
  ) =>
    sql(em(), `update ${table} set ${column} = ${column} - make_interval(secs => $2::float8) where contact_id = $1`, [
      id,
      seconds,
    ])

  it('sends one confirmation email for repeated sign-ups, even if Temporal is unreachable in the meantime', async () => {
    const { list } = await askingList()
    const email = 'outage@example.com'
    await temporal.goAway()
    let id = ''
    for (let n = 0; n < 5; n += 1) {
      id = await type(email, list)
      await later('confirmation_requests', 'requested_at', id, 120)
    }
    await temporal.comeBack()
    await eventually('all events are delivered', async () => {
      const open = await sql(em(), `select from outbox where contact_id = $1 and kind = 'START'`, [id])
      return (open.length === 0 && mailsTo(email) > 0) || undefined
    })
    await type(email, list)
    await eventually('no enrollment is active', async () => {
      const open = await sql(em(), `select from enrollments where contact_id = $1 and status = 'ACTIVE'`, [id])
      return open.length === 0 || undefined
    })
    assert.equal(mailsTo(email), 1)
  })

  it('sends the confirmation email once the paused automation is active again', async () => {
    const { list, asking } = await askingList()
    const email = 'active-again@example.com'
    await service.call('PATCH', `automations/${asking}`, { status: 'PAUSED' })
    for (let n = 0; n < 6; n += 1) {
      const id = await type(email, list)
      assert.equal((await service.call('DELETE', `lists/${list}/contacts/${id}`)).status, 200)
    }
    await service.call('PATCH', `automations/${asking}`, { status: 'ACTIVE' })
    await type(email, list)
    await eventually('the confirmation email arrives', () => (mailsTo(email) > 0 ? true : undefined))
  })

  it('sends a confirmation email immediately if an import, a paused automation or a rejection prevented the first one', async () => {
    const { list, asking } = await askingList()
    const pending = 'pending@example.com'
    const body = { name: 'x.csv', text: `email\n${pending}\n`, consent: 'SUBSCRIBED', listId: list, start: true }
    await importRows(service, (await service.call('POST', 'imports', body)).body.data.id as string)
    await type(pending, list)
    await eventually('the confirmation email arrives', () => mailsTo(pending) || undefined)

    const paused = 'paused@example.com'
    await service.call('PATCH', `automations/${asking}`, { status: 'PAUSED' })
    await type(paused, list)
    await service.call('PATCH', `automations/${asking}`, { status: 'ACTIVE' })
    await type(paused, list)
    await eventually('the confirmation email arrives', () => mailsTo(paused) || undefined)

    const refused = 'refused@example.com'
    sink.behave({ code: 550, text: 'No such user', at: 'rcpt' })
    const rejectedId = await type(refused, list)
    await eventually('the email fails', async () => {
      const rows = await sql(em(), `select from messages where contact_id = $1 and status = 'FAILED'`, [rejectedId])
      return rows.length > 0 || undefined
    })
    sink.behave('accept')
    await type(refused, list)
    await eventually('the confirmation email arrives', () => mailsTo(refused) || undefined)
    assert.deepEqual([pending, paused, refused].map(mailsTo), [1, 1, 1])
  })
})
