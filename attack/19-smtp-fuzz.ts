/** A mail server that does everything wrong that RFC 5321 lets happen; is what the transport says true? `node attack/19-smtp-fuzz.ts SEED N` */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSmtpTransport } from '../src/mail/smtp.ts'
import { readSmtpUrl } from '../src/mail/smtp-url.ts'

let state = Number(process.argv[2] ?? 1)
const N = Number(process.argv[3] ?? 2000)
const random = () => {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const chance = (p: number) => random() < p
const took = new Map<string, number>()
const log = new Map<string, string[]>()
const pipelining = () => chance(0.5)
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms))

const server = createServer((socket: Socket) => {
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  let to = '', buffer = '', inData = false, busy = false
  const note = (what: string) => to && log.set(to, [...(log.get(to) ?? []), what])
  const end = (how: number) => (how < 0.5 ? socket.destroy() : how < 0.75 ? socket.resetAndDestroy() : socket.end())
  const write = async (text: string) => {
    if (chance(0.1)) for (const c of text) { socket.write(c); if (chance(0.1)) await sleep(1) }
    else socket.write(text)
  }
  const pump = async () => {
    if (busy) return
    busy = true
    while (!socket.destroyed) {
      if (inData) {
        if (buffer.length > 0 && chance(0.03)) { note('cut in data'); end(random()); break }
        if (buffer.length > 0 && chance(0.02)) { note('421 in data'); socket.write('421 4.3.2 going down\r\n'); socket.end(); socket.removeAllListeners('data'); socket.resume(); break }
        const at = buffer.indexOf('\r\n.\r\n')
        if (at < 0) break
        buffer = buffer.slice(at + 5)
        inData = false
        const r = random()
        if (chance(0.1)) await sleep(random() * 5)
        const take = () => took.set(to, (took.get(to) ?? 0) + 1)
        if (r < 0.55) { take(); note('250'); await write('250 2.0.0 ok\r\n') }
        else if (r < 0.60) { take(); note('250, 421'); await write('250-2.0.0 ok\r\n250 queued\r\n421 4.3.2 bye\r\n'); socket.end() }
        else if (r < 0.66) { take(); const s = chance(0.5) ? '250 2.0.0 ok' : '250-2.0.0 ok\r\n250 do'; const k = Math.floor(random() * (s.length + 1)); note(`took, said "${s.slice(0, k)}"`); socket.write(s.slice(0, k)); await sleep(1); end(random()) }
        else if (r < 0.72) { take(); note('took, cut'); end(random()) }
        else if (r < 0.80) { note('451'); await write('451 4.3.0 later\r\n') }
        else if (r < 0.88) { note('554'); await write('554-5.6.0 no\r\n554 5.6.0 never\r\n') }
        else if (r < 0.94) { note('421'); await write('421 4.3.2 bye\r\n'); socket.end() }
        else { const s = '451 4.3.0 later'; const k = Math.floor(random() * s.length); note(`not taken, said "${s.slice(0, k)}"`); socket.write(s.slice(0, k)); await sleep(1); end(random()) }
        continue
      }
      const at = buffer.indexOf('\r\n')
      if (at < 0) break
      const line = buffer.slice(0, at)
      buffer = buffer.slice(at + 2)
      const rcpt = /^RCPT TO:<(.*)>/.exec(line)
      if (rcpt) { to = rcpt[1]!; note(line) }
      if (chance(0.05)) await sleep(random() * 4)
      const r = random()
      if (r < 0.03) { note(`cut at ${line.slice(0, 4)}`); end(random()); break }
      if (r < 0.05) { note(`421 at ${line.slice(0, 4)}`); socket.write('421 4.3.2 bye\r\n'); socket.end(); break }
      if (r < 0.08 && !/^(EHLO|QUIT)/.test(line)) { await write('451 4.3.0 not now\r\n'); note(`451 at ${line.slice(0, 4)}`); continue }
      if (r < 0.10 && !/^(EHLO|QUIT)/.test(line)) { await write('550 5.1.1 no\r\n'); note(`550 at ${line.slice(0, 4)}`); continue }
      if (/^EHLO/.test(line)) await write(`250-hi\r\n${pipelining() ? '250-PIPELINING\r\n' : ''}250 8BITMIME\r\n`)
      else if (/^DATA/.test(line)) { inData = true; note('354'); await write('354 go\r\n') }
      else if (/^QUIT/.test(line)) { socket.end('221 bye\r\n'); break }
      else await write('250 ok\r\n')
    }
    busy = false
  }
  if (chance(0.02)) return void socket.end('421 busy\r\n')
  socket.write('220 hi\r\n')
  socket.on('data', (chunk) => { buffer += chunk.toString('latin1'); void pump() })
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const transport = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`), maxConnections: 4, timeoutMs: 3_000 })
const kinds: Record<string, number> = {}
const wrong: string[] = []
let next = 0
await Promise.all(Array.from({ length: 4 }, async () => {
  while (next < N) {
    const n = (next += 1)
    const to = `c${n}@example.com`
    let asked = 0
    const no = chance(0.05)
    const abort = new AbortController()
    const begin = async () => { asked += 1; if (chance(0.2)) await sleep(random() * 6); if (chance(0.03)) abort.abort(); return !no }
    const permit = await transport.permit('x', new AbortController().signal)
    const size = chance(0.1) ? 600_000 : 100
    const d = await permit.deliver({ from: 'A <a@b.co>', to, messageId: `<${n}@x>`, subject: 's', html: null, text: '.\n'.repeat(size / 2) }, { begin, breakOff: abort.signal })
    kinds[d.kind] = (kinds[d.kind] ?? 0) + 1
    await sleep(2)
    const count = took.get(to) ?? 0
    const bad = count > 1 || (count === 1 && ['not-sent', 'refused', 'withdrawn'].includes(d.kind)) || (count === 0 && d.kind === 'taken')
    if (bad) wrong.push(`${to}: the server took it ${count} times, the transport says ${JSON.stringify(d)}; ${log.get(to)?.join(' | ')}`)
    if (asked > 1) kinds['asked twice'] = (kinds['asked twice'] ?? 0) + 1
    if (d.kind === 'unknown' && asked === 0) wrong.push(`${to}: unknown and never asked`)
  }
}))
await sleep(300)
console.log({ seed: process.argv[2] ?? 1, N, kinds, wrong: wrong.length })
for (const w of wrong.slice(0, 8)) console.log(w)
await transport.close()
server.close()
process.exit(0)
