/**
 * Replaces Mailpit, which cannot be installed from a package: accepts every email, and shows the last ones as JSON. Arguments:
 * the port for SMTP, the port for HTTP.
 */
import { createServer } from 'node:http'
import { startSmtpSink } from './smtp-sink.ts'

const SHOWN = 200

const [smtpPort, httpPort] = process.argv.slice(2).map(Number)
const { mails } = await startSmtpSink(() => void mails.splice(0, mails.length - SHOWN), smtpPort)
createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(mails, null, 2))
}).listen(httpPort, '127.0.0.1')
