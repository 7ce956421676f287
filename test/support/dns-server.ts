import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server with some TXT records, and MX hosts under `MX` and a name. All other names do not exist (RFC 1035, section 4). */
export async function startDnsServer(texts: Record<string, string[]>) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, texts), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() }
}

function answerTo(query: Buffer, texts: Record<string, string[]>): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = query.subarray(12, at + 5)
  const isForMail = query.readUInt16BE(at + 1) === 15
  const name = labels.join('.').toLowerCase()
  const found = texts[isForMail ? `MX ${name}` : name] ?? []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(found.length > 0 ? 0x8580 : 0x8583, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(found.length, 6)
  const records = found.map((text) => {
    // Each part of a text has at most 255 bytes.
    const parts = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
      Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
    )
    const data = isForMail ? exchangeIn(text) : Buffer.concat(parts)
    const head = Buffer.alloc(12)
    head.writeUInt16BE(0xc00c, 0)
    head.writeUInt16BE(isForMail ? 15 : 16, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt32BE(0, 6)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, question, ...records])
}

/** Encodes an MX host: a priority of ten, and its labels. */
function exchangeIn(host: string): Buffer {
  const labels = host.split('.').filter((label) => label !== '')
  return Buffer.concat([
    Buffer.of(0, 10),
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
}
