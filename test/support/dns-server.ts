import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/**
 * Records by type and name, such as `MX example.com`. TXT records are under the name alone. The values of `MX` are hosts, or `.`
 * for none. `SERVFAIL` and a name make its lookups fail.
 */
export type Zone = Record<string, string[]>

const TYPES: Record<string, number> = { A: 1, NS: 2, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 }

/** A DNS server for a zone (RFC 1035, section 4). Names without records do not exist. */
export async function startDnsServer(zone: Zone) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, zone, asked), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() }
}

function answerTo(query: Buffer, zone: Zone, asked: string[]): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = query.subarray(12, at + 5)
  const type = query.readUInt16BE(at + 1)
  const typeName = Object.keys(TYPES).find((name) => TYPES[name] === type) ?? ''
  const name = labels.join('.').toLowerCase()
  asked.push(`${typeName} ${name}`)
  const found = zone[typeName === 'TXT' ? name : `${typeName} ${name}`] ?? []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8580 | statusOf(zone, name, found), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(found.length, 6)
  const records = found.map((value) => {
    const data = dataOf(typeName, value)
    const head = Buffer.alloc(12)
    head.writeUInt16BE(0xc00c, 0)
    head.writeUInt16BE(type, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt32BE(0, 6)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, question, ...records])
}

const [SERVFAIL, NXDOMAIN] = [2, 3]

/** A name exists if it or a name below it has records (RFC 8020). */
function statusOf(zone: Zone, name: string, found: string[]): number {
  if (zone[`SERVFAIL ${name}`]) return SERVFAIL
  if (found.length > 0) return 0
  const names = Object.keys(zone).map((key) => key.split(' ').at(-1)!)
  return names.some((other) => other === name || other.endsWith(`.${name}`)) ? 0 : NXDOMAIN
}

function dataOf(type: string, value: string): Buffer {
  switch (type) {
    case 'A':
      return Buffer.from(value.split('.').map(Number))
    case 'AAAA':
      return ipv6(value)
    case 'MX':
      return Buffer.concat([Buffer.of(0, 10), encodeName(value)])
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return encodeName(value)
    default:
      // Each part of a text has at most 255 bytes.
      return Buffer.concat(
        (value.match(/.{1,255}/gs) ?? ['']).map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])),
      )
  }
}

const encodeName = (host: string): Buffer =>
  Buffer.concat([
    ...host
      .split('.')
      .filter((label) => label !== '')
      .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])

/** Encodes an address whose groups are all written, or shortened by one `::`. */
function ipv6(value: string): Buffer {
  const [head = '', tail = ''] = value.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
