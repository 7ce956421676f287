import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server that knows some texts, and of all other names that they are not there (RFC 1035, section 4). */
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
  const found = texts[labels.join('.').toLowerCase()] ?? []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(found.length > 0 ? 0x8580 : 0x8583, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(found.length, 6)
  const records = found.map((text) => {
    // Of a text each part is 255 bytes at most.
    const parts = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
      Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
    )
    const data = Buffer.concat(parts)
    const head = Buffer.alloc(12)
    head.writeUInt16BE(0xc00c, 0)
    head.writeUInt16BE(16, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt32BE(0, 6)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, question, ...records])
}
