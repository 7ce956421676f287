import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import PostalMime from 'postal-mime'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { setSender } from '../../src/senders/settings.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { installPython } from '../support/python.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const DJANGO = 'Django==5.2.19'

describe('emails over SMTP of foreign libraries', () => {
  let service: Service
  let sink: SmtpSink
  let api: AnotherApi
  let port: number
  useServiceAndSink((opened) => ({ service, sink } = opened))
  before(async () => {
    ;[port = 0] = await freePorts(1)
    api = await startAnotherApi(service, { SMTP_SUBMISSION_PORT: port })
    await setSender(service.context.orm.em.fork(), service.workspaceId, { fromAddress: 'hello@orchard.example' })
  })
  after(() => api.stop())

  /** Runs a script with the port, an API key and an address. @returns the email that arrives at the address */
  async function run(python: string, script: string, to: string) {
    await promisify(execFile)(python, ['-c', script, String(port), service.key, to])
    const { headers, body } = await eventually('the email arrives', () => sink.mails.find((mail) => mail.to[0] === to))
    return PostalMime.parse(`${headers}\r\n\r\n${body}`)
  }

  it('sends an email of smtplib', async () => {
    const script = `
import smtplib, sys
from email.message import EmailMessage
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'hello@orchard.example', sys.argv[3], 'Grüße'
mail.set_content('Thank you, Zoë')
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as server:
    server.login('dripline', sys.argv[2])
    server.send_message(mail)
`
    const mail = await run('python3', script, 'smtplib@example.com')
    assert.deepEqual([mail.subject, mail.text?.trim()], ['Grüße', 'Thank you, Zoë'])
  })

  it('sends an email of Django', async () => {
    const script = `
import sys
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
settings.configure(EMAIL_HOST='127.0.0.1', EMAIL_PORT=int(sys.argv[1]), EMAIL_HOST_USER='any', EMAIL_HOST_PASSWORD=sys.argv[2])
mail = EmailMultiAlternatives('Receipt', 'Thank you', 'hello@orchard.example', [sys.argv[3]])
mail.attach_alternative('<p>Thank you</p>', 'text/html')
mail.attach('receipt.txt', 'Total: 49.00', 'text/plain')
assert mail.send() == 1
`
    const python = join(await installPython(DJANGO.replace('==', '-'), [DJANGO]), 'python')
    const mail = await run(python, script, 'django@example.com')
    assert.deepEqual([mail.subject, mail.text?.trim(), mail.html?.trim()], ['Receipt', 'Thank you', '<p>Thank you</p>'])
    assert.equal(mail.attachments[0]!.filename, 'receipt.txt')
  })
})
