import assert from 'node:assert/strict'
import { createReader } from '../../src/bounces/reader.ts'

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

describe('the process that reads returned mail', () => {
  // The test is about the thread’s answer, and the machine may be busy.
  const reader = createReader({ maxMs: 30_000 })
  after(() => reader.close())
  const read = (text: string) => reader.run({ raw: Buffer.from(text), isFromNobody: true })

  it('reads HTML with unclosed links quickly', async () => {
    const { reports } = await read(withHtml(`<a ${'href='.repeat(24_000)}`))
    assert.deepEqual(reports, [])
  })

  it('returns the reports of a mail', async () => {
    const { reports } = await read(HARD)
    assert.deepEqual(
      reports.map(({ kind, recipient }) => [kind, recipient]),
      [['HARD', 'ada@example.com']],
    )
  })
})
