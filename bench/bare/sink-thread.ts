/** A mail server in a thread of its own that stores nothing: it counts the accepted mails in shared memory. */
import { SMTPServer } from 'smtp-server'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const count = new Int32Array(workerData as SharedArrayBuffer)
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData(stream, _session, callback) {
    stream.on('end', () => {
      Atomics.add(count, 0, 1)
      callback(null, 'queued')
    })
    stream.resume()
  },
})
server.on('error', () => undefined)
server.listen(0, '127.0.0.1', () => parentPort!.postMessage((server.server.address() as AddressInfo).port))
