import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openBrowser } from '../support/browser-like.ts'
import { eventually } from '../support/eventually.ts'
import { aMember, PASSWORD } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'

const NEW_PASSWORD = 'battery staple horse'

describe('a password reset by email', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((opened) => ({ service, sink } = opened))
  // All requests come from one address, and so share one rate limit.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const ask = (path: string, body: object) => openBrowser(service).ask('POST', path, { body })
  const request = (email: string) => ask('password-reset', { email })
  const complete = (token: string, password = NEW_PASSWORD) => ask('password-reset/complete', { token, password })
  const mailsTo = (email: string) => sink.mails.filter(({ to }) => to[0] === email)
  const isDone = () =>
    eventually('no email is pending', async () => {
      const pending = await sql(em(), `select from outbox where key like 'reset %'`)
      return pending.length === 0 ? true : undefined
    })

  /** Decodes what quoted-printable makes of a link. */
  const textOf = ({ body }: { body: string }) => body.replaceAll('=\r\n', '').replaceAll('=3D', '=')

  /** Requests a link, and returns its token. */
  async function aToken(email: string, typed = email): Promise<string> {
    const before = mailsTo(email).length
    assert.deepEqual((await request(typed)).body, { data: { requested: true } })
    await isDone()
    const mail = mailsTo(email)[before]!
    const [, token] = new RegExp(`^${PUBLIC_URL}/reset-password#(\\S+)$`, 'm').exec(textOf(mail)) ?? []
    assert.ok(token, mail.body)
    return token
  }

  it('sets a password once, and ends all sessions, passkeys and other links', async () => {
    const { browser, email, accountId } = await aMember(service)
    await sql(
      em(),
      `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name)
       values (gen_random_uuid(), $1::uuid, 'of a reset', '', 0, '{}', 'Laptop')`,
      [accountId],
    )
    const [token, other] = [await aToken(email, email.toUpperCase()), await aToken(email)]
    assert.equal((await complete(token, 'short')).refused, '400 weak_password')
    const answers = await Promise.all([complete(token), complete(token)])
    assert.deepEqual(answers.map(({ refused }) => refused).toSorted(), ['404 password_reset_not_found', undefined])
    assert.ok(answers.some(({ headers }) => headers.get('set-cookie')?.startsWith('__Host-dripline=')))
    assert.equal((await browser.ask('GET', 'session')).refused, '401 signed_out')
    assert.equal((await complete(other)).refused, '404 password_reset_not_found')
    assert.equal((await ask('session', { email, password: PASSWORD })).refused, '401 wrong_credentials')
    assert.equal((await ask('session', { email, password: NEW_PASSWORD })).status, 200)
    assert.deepEqual(await sql(em(), 'select from passkeys where account_id = $1::uuid', [accountId]), [])
    const entries = await sql(em(), `select from audit_entries where operation = 'resetPassword' and actor_id = $1`, [
      accountId,
    ])
    assert.equal(entries.length, 1)
    const notice = await eventually('a notice arrives', () =>
      mailsTo(email).find(({ headers }) => headers.includes('Subject: Your Dripline password was reset')),
    )
    assert.ok(textOf(notice).includes('All browsers were signed out'), notice.body)
  })

  it('expires after an hour', async () => {
    const { email, accountId } = await aMember(service)
    const token = await aToken(email)
    const [{ seconds }] = (await sql<{ seconds: number }>(
      em(),
      `update challenges set expires_at = expires_at - interval '1 hour' where account_id = $1::uuid
       returning extract(epoch from expires_at - now())::float8 as seconds`,
      [accountId],
    )) as [{ seconds: number }]
    assert.ok(seconds <= 0 && seconds > -60, String(seconds))
    assert.equal((await complete(token)).refused, '404 password_reset_not_found')
  })

  it('is sent to no address without an account, nor to an account without a password, with the same response', async () => {
    const { email, accountId } = await aMember(service)
    await sql(em(), 'update accounts set password_hash = null where id = $1::uuid', [accountId])
    const count = sink.mails.length
    for (const address of [email, 'nobody@example.com']) {
      const { status, body } = await request(address)
      assert.deepEqual([status, body], [202, { data: { requested: true } }])
    }
    await isDone()
    assert.equal(sink.mails.length, count)
    assert.deepEqual(await sql(em(), 'select from challenges where account_id = $1::uuid', [accountId]), [])
  })

  it('is invalid if the account has no password any more', async () => {
    const { email, accountId } = await aMember(service)
    const token = await aToken(email)
    await sql(em(), 'update accounts set password_hash = null where id = $1::uuid', [accountId])
    assert.equal((await complete(token)).refused, '404 password_reset_not_found')
  })

  it('is sent three times an hour at most, and ten times a minute from an IP address', async () => {
    const { email } = await aMember(service)
    for (let n = 0; n < 3; n += 1) await aToken(email)
    await request(email)
    await isDone()
    assert.equal(mailsTo(email).length, 3)
    const statuses: number[] = []
    for (let n = 0; n < 8; n += 1) statuses.push((await request(`nobody-${n}@example.com`)).status)
    assert.deepEqual([statuses.filter((status) => status === 202).length, statuses.at(-1)], [6, 429])
  })

  it('is retried with a new link if the mail server is unavailable', async () => {
    const { email, accountId } = await aMember(service)
    sink.behave({ code: 451, text: 'Later', at: 'rcpt' })
    await request(email)
    await eventually('one attempt has failed', async () => {
      const [row] = await sql<{ attempts: number }>(em(), `select attempts from outbox where key like 'reset %'`)
      return row && row.attempts > 1 ? true : undefined
    })
    sink.behave('accept')
    await sql(em(), `update outbox set due_at = now() where key like 'reset %'`)
    await isDone()
    assert.equal(mailsTo(email).length, 1)
    // The links of failed attempts are deleted.
    assert.equal((await sql(em(), 'select from challenges where account_id = $1::uuid', [accountId])).length, 1)
  })
})
