import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo } from 'node:net'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

describe('a campaign that begins where an installation was restored', function () {
  this.timeout(180_000)
  let service: Service
  let sink: SmtpSink
  let connections = 0
  // In front of the mail server, which counts none.
  const counter = createServer((client) => {
    connections += 1
    const server = connect(Number(new URL(sink.url).port), '127.0.0.1')
    client.pipe(server).pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  before(async () => {
    sink = await startSmtpSink()
    await new Promise<void>((done) => counter.listen(0, '127.0.0.1', done))
    const { port } = counter.address() as AddressInfo
    service = await startService({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
    counter.close()
  })

  it('waits for people, and asks no mail server meanwhile', async () => {
    const em = () => service.context.orm.em.fork()
    const listId = await aList(service)
    for (let n = 0; n < 3; n += 1) await aContact(service, { listId })
    await sql(em(), `update installation set restored_at = now(), lost_until = now() - interval '1 hour'`)
    const before = connections
    const said = { name: 'News', subject: 'News', html: '<p>x</p>', audience: { listIds: [listId] } }
    const { id } = (await service.call('POST', 'campaigns', said)).body.data as { id: string }
    assert.equal((await service.call('POST', `campaigns/${id}/schedule`, {})).status, 202)
    const handle = service.context.temporal.workflow.getHandle(`campaign:${id}`)
    await eventually('it waits', async () => {
      const [campaign] = await sql<{ walked: boolean }>(em(), 'select walked from campaigns where id = $1', [id])
      const { raw } = await handle.describe()
      return campaign?.walked && (raw.pendingActivities ?? []).length === 0 ? true : undefined
    })
    assert.equal(connections, before)
    await sql(em(), 'update installation set restored_at = null')
    await eventually('it goes on', async () =>
      (await service.call('GET', `campaigns/${id}`)).body.data.status === 'SENT' ? true : undefined,
    )
    assert.equal(sink.mails.length, 3)
  })
})
