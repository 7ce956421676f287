/** A POST with an Idempotency-Key "is done once in 24 hours, however often it is sent"; after an erasure it is done again. */
import { anAutomation, EMAIL } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { startService } from '../test/support/service.ts'
import { startSmtpSink } from '../test/support/smtp-sink.ts'

it('11 a request that is repeated after an erasure brings the contact back, and mails it', async () => {
  const sink = await startSmtpSink()
  const service = await startService({ env: { SMTP_URL: sink.url } })
  try {
    await anAutomation(service, { trigger: 'SIGNUP', triggerConfig: {}, steps: [{ ...EMAIL, subject: 'Welcome' }] })
    const post = () => service.call('POST', 'contacts', { email: 'ada@example.com' }, { headers: { 'idempotency-key': 'signup-of-ada' } })
    const first = await post()
    await eventually('Welcome', () => (sink.mails.length === 1 ? true : undefined))
    const erased = await service.call('DELETE', `contacts/${first.body.data.id}`)
    const at = Date.now()
    const second = await post() // the client never got the first answer and repeats blindly
    console.log({ first: first.status, erased: erased.status, second: second.status, replayed: second.headers.get('idempotent-replayed') })
    await eventually('Welcome again', () => (sink.mails.length === 2 ? true : undefined))
    console.log(sink.mails.map((m) => `${m.to} ${/Subject: .*/.exec(m.headers)}, ${m.at.getTime() - at} ms after the erasure`))
  } finally {
    await service.stop()
    await sink.close()
  }
}).timeout(60_000)
