import { type ReceivedMail, startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { startInstance, type Instance, type InstanceOptions } from './instance.ts'

interface InstanceAndSink {
  service: Instance
  sink: SmtpSink
}

/**
 * Starts an instance and the mail server that it delivers to before the tests of a suite, and stops both after them. After each test,
 * the mail server accepts mail again.
 *
 * @param onMail is awaited before the mail server answers for a mail
 */
export function useInstanceAndSink(
  assign: (started: InstanceAndSink) => void,
  { onMail, env, ...options }: InstanceOptions & { onMail?: (mail: ReceivedMail) => void | Promise<void> } = {},
): void {
  let started: InstanceAndSink
  before(async () => {
    const sink = await startSmtpSink(onMail)
    started = { sink, service: await startInstance({ ...options, env: { ...env, SMTP_URL: sink.url } }) }
    assign(started)
  })
  after(async () => {
    await started.service.stop()
    await started.sink.close()
  })
  afterEach(() => started.sink.behave('accept'))
}
