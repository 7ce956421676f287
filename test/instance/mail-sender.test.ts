import assert from 'node:assert/strict'
import type { Orm } from '../../src/platform/db/orm.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { agreeOnSender } from '../../src/instance/mail-sender.ts'
import { createDatabase } from '../support/database.ts'

const ME = 'Me <me@example.com>'
const US = 'Us <us@example.com>'

describe('the sender of an instance', () => {
  let orm: Orm
  let warnings: string[]
  before(async () => {
    orm = (await createDatabase()).orm
  })
  after(() => orm.close(true))
  beforeEach(async () => {
    warnings = []
    await sql(orm.em.fork(), 'update instance set mail_from = null')
  })

  const agree = (mailFrom: string | undefined, delivers = true) => {
    const log = {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, text: string) => warnings.push(text),
    }
    return agreeOnSender(orm.em, log, { mailFrom, delivers })
  }

  it('is taken from a process that configures one, and applies to processes that do not', async () => {
    assert.equal(await agree(ME), ME)
    assert.equal(await agree(undefined), ME)
    assert.equal(await agree(ME), ME)
    assert.deepEqual(warnings, [])
  })

  it('is changed by a process with a different one, which logs the change', async () => {
    await agree(ME)
    assert.equal(await agree(US), US)
    assert.equal(await agree(undefined), US)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0]!, /MAIL_FROM differs from the sender/)
    assert.doesNotMatch(warnings[0]!, /@/)
  })

  it('is ignored if the restored value is invalid in a mail header', async () => {
    await sql(orm.em.fork(), 'update instance set mail_from = $1', ['Evil <evil@example.com>\r\nBcc: x@example.com'])
    await assert.rejects(agree(undefined), /Set MAIL_FROM/)
  })

  it('may be missing only if no mail is delivered', async () => {
    await assert.rejects(agree(undefined), /Set MAIL_FROM to the sender, such as MAIL_FROM='Me <me@example\.com>'/)
    assert.match(await agree(undefined, false), /localhost\.localdomain/)
    await assert.rejects(agree(undefined), /MAIL_FROM/)
  })
})
