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
  it('reads the reports of many systems, with either line end', async () => {
    assert.ok(new Set(expected.map(({ system }) => system)).size >= 8)
    for (const { file, kind, recipient, status } of expected) {
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
          file,
        )
      }
    }
  })

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

  describe('of a text without a delivery status', () => {
    const RECIPIENT = 'ada@example.com'
    const DAEMON = 'From: Mailer-Daemon <mailer-daemon@mx.example>'
    const read = async (head: readonly string[], lines: readonly string[], isFromNobody = true) => {
      const raw = [...head, '', ...lines, ''].join('\r\n')
      const { reports } = await readReport(Buffer.from(raw), { isFromNobody })
      if (reports.length === 0) return undefined
      const { kind, category, isOfOthers } = reportFor(RECIPIENT, reports)
      return isOfOthers ? [kind, category, 'of others'] : [kind, category]
    }

    const TEXTS: [name: string, lines: string[], expected: string[] | undefined][] = [
      [
        'a reply after a colon',
        [`<${RECIPIENT}>:`, 'mx.example.com said: 550 5.1.1 Unknown user'],
        ['HARD', 'MAILBOX_NOT_FOUND'],
      ],
      [
        'a transcript',
        ['----- Transcript -----', `>>> RCPT To:<${RECIPIENT}>`, '<<< 552 The quota is used up'],
        ['SOFT', 'MAILBOX_FULL'],
      ],
      [
        'a status code in parentheses',
        [`<${RECIPIENT}>:`, 'This address belongs to no user. (#5.1.1)'],
        ['HARD', 'MAILBOX_NOT_FOUND'],
      ],
      [
        'a temporary status code',
        [`<${RECIPIENT}>:`, 'I could not connect. (#4.4.1)', 'I give up.'],
        ['SOFT', 'CONNECTION'],
      ],
      [
        'words of the mail system',
        [`Delivery to ${RECIPIENT} failed:`, 'the mailbox is full.'],
        ['SOFT', 'MAILBOX_FULL'],
      ],
      ['no cause', [`Delivery to ${RECIPIENT} failed.`], ['SOFT', 'UNKNOWN']],
      [
        'fields',
        ['Action: error', `Final-Recipient: rfc822; ${RECIPIENT}`, 'Diagnostic-Code: smtp; 550 No such user'],
        ['HARD', 'MAILBOX_NOT_FOUND'],
      ],
      ['another address', ['<eve@example.com>:', '550 5.1.1 Unknown user'], ['SOFT', 'MAILBOX_NOT_FOUND', 'of others']],
      ['no address', ['550 5.1.1 Unknown user'], undefined],
      ['a delay', [`The message to ${RECIPIENT} is delayed for 4 hours:`, '550 5.1.1 Unknown user'], undefined],
      ['a warning', ['THIS IS A WARNING MESSAGE ONLY.', `<${RECIPIENT}>: 450 4.2.2 Mailbox full`], undefined],
      [
        'the returned message',
        [`<${RECIPIENT}>: 451 4.3.0 Failed`, '', '--- The original message follows', '550 5.1.1 User unknown'],
        ['SOFT', 'CONNECTION'],
      ],
    ]

    it('reads replies, transcripts, status codes, words and fields, and nothing from a delay', async () => {
      for (const [name, lines, expected] of TEXTS) assert.deepEqual(await read([DAEMON], lines), expected, name)
    })

    it('requires an automatic mail', async () => {
      const person = ['From: Eve <eve@example.com>']
      const reply = [`I got this for ${RECIPIENT}:`, '550 5.1.1 Unknown user']
      assert.equal(await read(person, reply, false), undefined)
      assert.deepEqual(await read([...person, 'Auto-Submitted: auto-generated'], reply, false), [
        'HARD',
        'MAILBOX_NOT_FOUND',
      ])
      assert.deepEqual(await read([...person, `X-Failed-Recipients: ${RECIPIENT}`], reply, false), [
        'HARD',
        'MAILBOX_NOT_FOUND',
      ])
      // An automatic answer of a person names no code.
      assert.equal(await read(person, [`${RECIPIENT} is an account that I closed.`]), undefined)
    })

    it('reads a mail whose parts have no end', async () => {
      const head = [DAEMON, 'Content-Type: multipart/report; boundary="elsewhere"']
      const lines = ['--b', '', `Final-Recipient: rfc822; ${RECIPIENT}`, 'Action: failed', 'Status: 5.1.1']
      assert.deepEqual(await read(head, lines), ['HARD', 'MAILBOX_NOT_FOUND'])
    })
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
