import { SMTPServer } from 'smtp-server'
import { createSmtpTransport } from '../src/mail/smtp.ts'
import { readSmtpUrl } from '../src/mail/smtp-url.ts'
for (const secure of [true, false]) {
  const ended: string[] = []
  const server = new SMTPServer({ secure, disabledCommands: ['AUTH'], onData(stream, s, cb) { stream.resume(); stream.on('end', () => { ended.push('whole'); cb() }) } })
  server.on('error', (e) => console.log('server', e.code))
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', () => r()))
  const { port } = server.server.address() as any
  const t = createSmtpTransport({ server: readSmtpUrl(`${secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}?tls.rejectUnauthorized=false${secure ? '' : '&requireTLS=true'}`) })
  const e = { from: 'a@b.co', to: 'c@d.co', messageId: '<x@y>', subject: 's', html: null, text: 'x'.repeat(100_000) }
  console.log(await (await t.permit('a', new AbortController().signal)).deliver(e, { begin: async () => true }))
  const c = new AbortController()
  console.log(await (await t.permit('a', new AbortController().signal)).deliver(e, { begin: async () => { setImmediate(() => c.abort()); return true }, breakOff: c.signal }))
  console.log(ended)
  await t.close(); server.close()
}
process.exit(0)
