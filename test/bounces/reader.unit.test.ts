import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createReader, type Reader } from '../../src/bounces/reader.ts'

const HARD = [
  'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
  '',
  '--b',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.com',
  '',
  'Final-Recipient: rfc822;ada@example.com',
  'Action: failed',
  'Status: 5.1.1',
  '--b--',
  '',
].join('\r\n')

/** A mail with a text part and an HTML part. */
const withHtml = (html: string) =>
  [
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'hello',
    '--b',
    'Content-Type: text/html',
    '',
    html,
    '--b--',
    '',
  ].join('\r\n')

describe('the thread that reads returned mail', () => {
  const readers: Reader[] = []
  const folder = mkdtempSync(join(tmpdir(), 'dripline-reader-'))
  after(async () => {
    for (const reader of readers) await reader.close()
    rmSync(folder, { recursive: true })
  })
  const create = (options: Parameters<typeof createReader>[0]) => {
    const reader = createReader(options)
    readers.push(reader)
    return reader
  }
  const mail = (text: string) => ({ raw: Buffer.from(text), isFromNobody: true })

  it('reads HTML with unclosed links quickly', async () => {
    const reader = create({ mostMs: 30_000 })
    const { reports } = await reader.read(mail(withHtml(`<a ${'href='.repeat(24_000)}`)))
    assert.deepEqual(reports, [])
  })

  it('terminates the thread after the time limit without blocking other work, and reads the next mail in a new one', async () => {
    const script = join(folder, 'thread.mjs')
    // A regular expression with exponential backtracking, as a parser may contain one.
    writeFileSync(
      script,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ raw }) => {
         /^(a+)+$/.test(Buffer.from(raw).toString())
         parentPort.postMessage({ reports: [], traces: { addresses: [], linkTokens: [] } })
       })`,
    )
    const reader = create({ mostMs: 1_000, script: pathToFileURL(script) })
    assert.deepEqual((await reader.read(mail('aaa'))).reports, [])
    let turns = 0
    const others = setInterval(() => (turns += 1), 10)
    await assert.rejects(reader.read(mail(`${'a'.repeat(60)}!`)), /took too long/)
    clearInterval(others)
    assert.ok(turns > 10, `${turns} turns`)
    assert.deepEqual((await reader.read(mail('aaa'))).reports, [])
  })

  it('reports why a thread ended, and a new thread reads the next mail', async () => {
    const script = join(folder, 'broken.mjs')
    writeFileSync(
      script,
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', ({ raw }) => {
         if (Buffer.from(raw).toString() === 'bad') throw new Error('It is broken')
         if (Buffer.from(raw).toString() === 'gone') process.exit(3)
         parentPort.postMessage({ reports: [], traces: { addresses: [], linkTokens: [] } })
       })`,
    )
    const reader = create({ script: pathToFileURL(script) })
    await assert.rejects(reader.read(mail('bad')), /It is broken/)
    await assert.rejects(reader.read(mail('gone')), /The reader thread ended/)
    assert.deepEqual((await reader.read(mail('good'))).reports, [])
  })

  it('returns the same reports as the main thread', async () => {
    const { reports } = await create({}).read(mail(HARD))
    assert.deepEqual(
      reports.map(({ kind, recipient }) => [kind, recipient]),
      [['HARD', 'ada@example.com']],
    )
  })
})
