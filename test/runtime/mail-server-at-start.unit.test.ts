import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { type Dependencies, noMetrics } from '../../src/outbox/dependencies.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { EntityManager } from '../../src/platform/db/orm.ts'
import { openLog } from '../../src/platform/log.ts'
import { createWorkersMail } from '../../src/runtime/mail.ts'
import { someLinks } from '../support/links.ts'
import { SENDER } from '../support/npm-start.ts'
import { freePorts } from '../support/ports.ts'
import { startScriptedSmtp } from '../support/scripted-smtp.ts'

interface Line {
  msg: string
  server?: string
  reason?: string
}

/** Returns what a worker logs about its mail server when it starts. */
async function logLineOf(SMTP_URL: string): Promise<Line> {
  const lines: Line[] = []
  const log = openLog('debug', { write: (line) => void lines.push(JSON.parse(line) as Line) })
  const em = {} as EntityManager
  const dependencies = { em, log, metrics: noMetrics } as unknown as Dependencies
  const sender = { mailFrom: SENDER, links: someLinks }
  const { tryServer, smtp, renderer } = createWorkersMail(readConfig({ SMTP_URL }), dependencies, sender)
  try {
    await tryServer()
    assert.equal(lines.length, 1)
    return lines[0]!
  } finally {
    await smtp?.close()
    await renderer.close()
  }
}

describe('a mail server at the start of a worker', () => {
  it('is logged as available after a login, and gets no mail', async () => {
    const smtp = await startScriptedSmtp({})
    try {
      const { msg, server } = await logLineOf(smtp.url)
      assert.equal(msg, 'The mail server responds and accepts the login')
      assert.equal(server, new URL(smtp.url).host)
      assert.equal(smtp.whole.length, 0)
    } finally {
      await smtp.close()
    }
  })

  it('is logged with its response if it rejects the connection in its greeting', async () => {
    const smtp = await startScriptedSmtp({ greeting: '554 5.7.1 not from your network' })
    try {
      const { msg, reason } = await logLineOf(smtp.url)
      assert.match(msg, /cannot be used; messages wait until it can/)
      assert.match(reason ?? '', /554 5\.7\.1 not from your network/)
    } finally {
      await smtp.close()
    }
  })

  for (const [reply, expected] of [
    ['535 5.7.8 Bad credentials, see https://mail.example.com/help', /^535 5\.7\.8 Bad credentials, see https:/],
    ['535 5.7.8 nothing known of Alice here', /^535 5\.7\.8 nothing known of … here$/],
    [`535 5.7.8 not ${Buffer.from('\0alice\0s3cretpw').toString('base64')}`, /^535 5\.7\.8 not …$/],
  ] as const) {
    it(`is quoted without the login if it responds ${reply.slice(0, 30)} …`, async () => {
      const smtp = await startScriptedSmtp({
        answer: (command) =>
          command.startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN' : command.startsWith('AUTH') ? reply : undefined,
      })
      try {
        const { msg, reason } = await logLineOf(smtp.url.replace('//', '//alice:s3cretpw@'))
        assert.match(msg, /cannot be used/)
        assert.match(reason ?? '', expected)
      } finally {
        await smtp.close()
      }
    })
  }

  for (const [what, answer] of [
    ['repeats the login', (socket: Socket, line: string) => void socket.write(`535 no ${line}\r\n`)],
    [
      'repeats the login and disconnects before the end of the line',
      (socket: Socket, line: string) => void socket.end(`535 no ${line}`),
    ],
    [
      'repeats the login after accepting it',
      (socket: Socket, line: string) => void socket.end(`235 ok\r\n535 ${line}`),
    ],
  ] as const) {
    it(`is logged as rejecting, without the login, if it ${what}`, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.write('220 here\r\n')
        socket.setEncoding('latin1').on('data', (line: string) => {
          if (line.startsWith('EHLO')) socket.write('250-here\r\n250 AUTH PLAIN\r\n')
          else answer(socket, line.trim())
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      try {
        const { port } = server.address() as AddressInfo
        const line = await logLineOf(`smtp://alice:s3cretpw@127.0.0.1:${port}`)
        const { reason = '' } = line
        assert.match(line.msg, /cannot be used|accepts the login/)
        assert.ok(!reason.includes(Buffer.from('\0alice\0s3cretpw').toString('base64')), reason)
        assert.doesNotMatch(reason, /alice|s3cret|AUTH PLAIN \w/)
      } finally {
        server.close()
      }
    })
  }

  it('is logged as unavailable', async () => {
    const [nowhere] = await freePorts(1)
    const { msg, reason } = await logLineOf(`smtp://127.0.0.1:${nowhere}`)
    assert.match(msg, /cannot be used/)
    assert.match(reason ?? '', /ECONNREFUSED/)
  })
})
