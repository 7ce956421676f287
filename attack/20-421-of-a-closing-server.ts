/**
 * `smtp-server` (the library this project tests with) says 421 to everybody who is connected when it closes, also to whom it owes the
 * answer to a message that its application is storing at that moment. The transport calls that "certainly not sent".
 */
import { SMTPServer } from 'smtp-server'
import { createSmtpTransport } from '../src/mail/smtp.ts'
import { readSmtpUrl } from '../src/mail/smtp-url.ts'
let stored = 0
const server = new SMTPServer({
  authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], closeTimeout: 500, // 30 s by default
  onData(stream, _session, done) {
    stream.resume()
    stream.on('end', () => setTimeout(() => { stored += 1; done() }, 2_000)) // it stores the message, slowly
  },
})
server.on('error', () => undefined)
await new Promise<void>((r) => server.listen(0, '127.0.0.1', () => r()))
const { port } = server.server.address() as { port: number }
const transport = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${port}`) })
const permit = await transport.permit('x', new AbortController().signal)
setTimeout(() => server.close(() => undefined), 700) // SIGTERM of the mail server
const delivery = await permit.deliver({ from: 'a@b.co', to: 'c@d.co', messageId: '<1@x>', subject: 's', html: null, text: 't' }, { begin: () => Promise.resolve(true) })
await new Promise((r) => setTimeout(r, 3_000))
console.log({ delivery, storedByTheServer: stored })
process.exit(0)
