import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readReport } from '../../src/bounces/read-report.ts'
import { reportFor } from '../../src/bounces/returned-mail.ts'

interface Expected {
  file: string
  system: string
  kind: string | null
  recipient: string | null
  status: string | null
}

const FOLDER = new URL('reports/', import.meta.url)
const expected = JSON.parse(readFileSync(new URL('expected.json', FOLDER), 'utf8')) as Expected[]
/** The order of kinds in a report about several recipients, most important first. */
const WEIGHT = ['COMPLAINT', 'HARD', 'BLOCKED', 'SOFT']

describe('readReport', () => {
  it('covers reports of at least eight systems', () => {
    assert.ok(new Set(expected.map(({ system }) => system)).size >= 8)
  })

  for (const { file, kind, recipient, status } of expected) {
    it(`reads ${kind ?? 'nothing'} from ${file}`, async () => {
      const lf = readFileSync(new URL(file, FOLDER))
      // As bytes, because some reports are not in UTF-8.
      const crlf = Buffer.from(lf.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
      const isFromNobody = /^Return-Path:\s*<>/im.test(lf.toString('latin1'))
      for (const raw of [lf, crlf]) {
        const { reports } = await readReport(raw, { isFromNobody })
        const [report] = reports.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind))
        assert.deepEqual(
          { kind: report?.kind ?? null, recipient: report?.recipient ?? null, status: report?.status ?? null },
          { kind, recipient, status },
        )
      }
    })
  }

  it('finds the recipient in every notation, and distinguishes hard from soft bounces', async () => {
    const hard = { kind: 'HARD', isOfOthers: false }
    const soft = { kind: 'SOFT', isOfOthers: false }
    const ofOthers = { kind: 'SOFT', isOfOthers: true }
    for (const [fields, expected] of [
      [['Final-Recipient: LOCAL;ada', 'Action: failed', 'Status: 5.1.1'], soft],
      [['Final-Recipient: LOCAL;bob', 'Action: failed', 'Status: 5.1.1'], ofOthers],
      // An email address is more specific than a local name, regardless of which comes first.
      [
        [
          'Final-Recipient: LOCAL;ada',
          'Action: failed',
          'Status: 5.1.1',
          '',
          'Final-Recipient: rfc822;ada@example.com',
          'Action: failed',
          'Status: 5.1.1',
        ],
        hard,
      ],
      [['Final-Recipient: X400;/G=Ada/S=L/', 'Action: failed', 'Status: 5.1.1'], ofOthers],
      [['Final-Recipient: unknown; ada', 'Original-Recipient: unknown', 'Action: failed', 'Status: 5.1.1'], soft],
      [['Final-Recipient: rfc822; "Ada L" <ada@example.com>', 'Action: failed', 'Status: 5.1.1'], hard],
      [['Final-Recipient: rfc822; < ada@example.com >', 'Action: failed', 'Status: 5.1.1'], hard],
      [['Final-Recipient: rfc822; ada@example.com (Ada)', 'Action: failed', 'Status: 5.1.1'], hard],
      [['Final-Recipient: rfc822; ada@example.com', 'Action: failure', 'Status: 5.1.1'], hard],
      [['Final-Recipient: rfc822; ada@example.com', 'Status: 5.1.1 (gone)'], hard],
      [['Final-Recipient: rfc822; bob@example.com', 'Action: failed', 'Status: 5.1.1'], ofOthers],
      [['Final-Recipient: rfc822; ada@example.com', 'Action: delayed', 'Status: 5.1.1'], undefined],
      [['Final-Recipient: rfc822; ada@example.com', 'Status: 4.4.1'], undefined],
    ] as const) {
      const raw = [
        'From: <mailer-daemon@mx.example>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'It could not be delivered.',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.example',
        '',
        ...fields,
        '',
        '--b--',
        '',
      ].join('\r\n')
      const { reports } = await readReport(Buffer.from(raw), { isFromNobody: true })
      const { kind, isOfOthers = false } = reports.length > 0 ? reportFor('ada@example.com', reports) : {}
      assert.deepEqual(kind && { kind, isOfOthers }, expected, fields.join(', '))
    }
  })

  it('reads the text from HTML if the only plain text is a footer', async () => {
    const raw = [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<head><title>Sender</title></head><style>.sender { margin: 500 px }</style><!-- sender -->',
      '<p>It was not delivered:<br>ada@example.com: 550&nbsp;No such&nbsp;user here</p>',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.com',
      '',
      'Final-Recipient: rfc822; ada@example.com',
      'Action: failed',
      'Status: 5.0.0',
      '--b',
      'Content-Type: text/plain',
      '',
      'This mail is confidential.',
      '--b--',
      '',
    ].join('\r\n')
    const { reports } = await readReport(Buffer.from(raw), { isFromNobody: true })
    assert.deepEqual(
      reports.map(({ kind, diagnostic }) => [kind, diagnostic?.trim()]),
      [['HARD', '550 No such user here']],
    )
  })

  it('reads only the first lines, because the parser is slow on many lines', async () => {
    const report = readFileSync(new URL('qmail-qsbmf-5.1.1-no-mailbox.eml', FOLDER)).toString()
    const [head = '', body = ''] = report.split('\n\n')
    const found = async (lines: number) => {
      const raw = `${head}\n${'X-Filler: y\n'.repeat(lines)}\n${body}\n\n${report.split('\n\n').slice(2).join('\n\n')}`
      return (await readReport(Buffer.from(raw), { isFromNobody: true })).reports.length
    }
    assert.deepEqual([await found(10), await found(5_000)], [1, 0])
  })

  it('finds nothing in data that is not a mail, and reads only the beginning of a deep or long one', async () => {
    const deep = Array.from(
      { length: 400 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    )
    const long = `Return-Path: <>\r\n\r\nHi. This is the\r\n\r\n${'<a>:\n'.repeat(50_000)}`
    for (const raw of [
      '',
      '\0'.repeat(1000),
      deep.join(''),
      `X: ${'y'.repeat(3_000_000)}`,
      long,
      '('.repeat(200_000),
    ]) {
      const { reports } = await readReport(Buffer.from(raw), { isFromNobody: true })
      assert.ok(reports.every(({ kind }) => kind === 'SOFT'))
    }
  })
})
