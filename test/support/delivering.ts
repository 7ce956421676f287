import { startService, type Service } from './service.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

/** A service and the mail server that it delivers to, for one suite: before it, and gone behind it. */
export function delivering(tell: (started: { service: Service; sink: SmtpSink }) => void): void {
  let started: { service: Service; sink: SmtpSink }
  before(async () => {
    const sink = await startSmtpSink()
    started = { sink, service: await startService({ env: { SMTP_URL: sink.url } }) }
    tell(started)
  })
  after(async () => {
    await started.service.stop()
    await started.sink.close()
  })
  afterEach(() => started.sink.behave('accept'))
}
