import { type ReceivedMail, startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { startService, type Service, type ServiceOptions } from './service.ts'

interface ServiceAndSink {
  service: Service
  sink: SmtpSink
}

/**
 * Starts a service and the mail server that it delivers to before the tests of a suite, and stops both after them. After each test,
 * the mail server accepts mail again.
 *
 * @param onMail is awaited before the mail server answers for a mail
 */
export function useServiceAndSink(
  assign: (started: ServiceAndSink) => void,
  { onMail, env, ...options }: ServiceOptions & { onMail?: (mail: ReceivedMail) => void | Promise<void> } = {},
): void {
  let started: ServiceAndSink
  before(async () => {
    const sink = await startSmtpSink(onMail)
    started = { sink, service: await startService({ ...options, env: { ...env, SMTP_URL: sink.url } }) }
    assign(started)
  })
  after(async () => {
    await started.service.stop()
    await started.sink.close()
  })
  afterEach(() => started.sink.behave('accept'))
}
