import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { startSmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aList, anAutomation } from '../support/factories.ts'
import { startProxy, type Proxy } from '../support/proxy.ts'
import { services } from '../support/servers.ts'
import { startInstance, type Instance } from '../support/instance.ts'

const ASKS = { type: 'EMAIL', category: 'transactional', subject: 'Please confirm', text: 'Press: {{ confirmUrl }} .' }

// The test interrupts the connection of the instance to Temporal.
describe('repeated sign-ups with the same address', () => {
  let service: Instance
  let sink: SmtpSink
  let temporal: Proxy
  before(async () => {
    sink = await startSmtpSink()
    temporal = await startProxy(Number((await services()).temporalAddress.split(':')[1]))
    const env = { SMTP_URL: sink.url, TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` }
    service = await startInstance({ env: { ...env, PUBLIC_URL: 'https://mail.example.com' } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
    await temporal.close()
  })

  it('cause one confirmation email, even if Temporal is unreachable in the meantime', async () => {
    const change = (statement: string) => sql(service.context.orm.em.fork(), statement)
    const listId = await aList(service)
    await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId }, steps: [ASKS] })
    assert.equal((await service.call('PATCH', `lists/${listId}`, { doubleOptIn: true })).status, 200)
    const signUp = async () => {
      assert.ok((await service.call('POST', 'contacts', { email: 'outage@example.com', listId })).status < 300)
    }
    await temporal.goAway()
    for (let n = 0; n < 5; n += 1) {
      await signUp()
      await change(`update confirmation_requests set requested_at = requested_at - interval '2 minutes'`)
    }
    await temporal.comeBack()
    await eventually('all events are delivered', async () => {
      const open = await change(`update outbox set due_at = now() where kind = 'START' returning id`)
      return (open.length === 0 && sink.mails.length > 0) || undefined
    })
    await signUp()
    await eventually('no enrollment is active', async () =>
      (await change(`select from enrollments where status = 'ACTIVE'`)).length === 0 ? true : undefined,
    )
    assert.equal(sink.mails.length, 1)
  })
})
